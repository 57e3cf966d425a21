package import MDPlatform
package import MDPolicyCore
import MDPropertyList

extension ManifestSet {
    /// The sensitive keys of all manifests, and the state of their files, for a compiled table.
    ///
    /// - Parameter root: the root.
    /// - Returns: `nil` if a file is a link or cannot be looked at, or if something changed meanwhile: then the
    ///   manifests themselves have to be asked.
    package static func compiled(root: Root) -> CompiledManifests? {
        guard let witnesses = witnesses(root: root) else { return nil }
        // Most changes of policy change no manifest, and parsing a large collection takes a second.
        let secrets = CompiledTable.manifestSecrets(root: root) ?? ManifestSet(root: root).secrets
        guard let after = self.witnesses(root: root), after.count == witnesses.count,
            zip(witnesses, after).allSatisfy({ $0.agrees(with: $1) })
        else { return nil }
        return CompiledManifests(witnesses: witnesses, secrets: secrets)
    }

    /// The state of all files that say which keys are sensitive; `nil` if a later reader could not compare it.
    package static func witnesses(root: Root) -> [FileFingerprint]? {
        do {
            var witnesses: [FileFingerprint] = []
            for (path, extent) in CompiledManifests.directories {
                let witness = try FileFingerprint(path, extent, root: root)
                if let status = witness.status, status.kind != .directory { return nil }
                witnesses.append(witness)
            }
            for path in witnesses.filter({ $0.changed != nil }).map(\.path) {
                for name in try root.trustedDirectory("/" + path).names() where reasonToIgnore(name) == nil {
                    let witness = try FileFingerprint(path + "/" + name, .content, root: root)
                    guard witness.status?.kind == .regular else { return nil }
                    witnesses.append(witness)
                }
            }
            return witnesses
        } catch {
            // The reading of the manifests reports the reason.
            return nil
        }
    }
}
