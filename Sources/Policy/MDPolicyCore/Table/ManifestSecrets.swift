package import MDPlatform
package import MDPolicyModel
package import MDPropertyList

/// Which keys the manifests of a machine, and perhaps its policy, call sensitive.
package struct ManifestSecrets: Hashable, Sendable {
    /// Whether no manifest could be read, so that every key counts as sensitive.
    package var isEverything = false
    /// The domains of manifests that could not be read: every key of them counts as sensitive.
    package var domains: Set<Key> = []
    /// The sensitive keys by domain.
    package var keys: [Key: Set<Key>] = [:]

    /// Makes an empty set.
    package init() {}

    /// Whether values of a key must not be shown.
    package func contains(_ key: Key, of domain: Key) -> Bool {
        isEverything || domains.contains(domain) || keys[domain]?.contains(key) ?? false
    }

    /// Whether nothing is sensitive.
    package var isEmpty: Bool { !isEverything && domains.isEmpty && keys.isEmpty }

    /// Whether values must not be shown that a record has.
    ///
    /// - Parameters:
    ///   - key: the key; `nil` for the whole domain.
    ///   - domain: the domain, beneath which every program looks into the global one.
    /// - Returns: whether the key is sensitive, or any key of the domain.
    package func concern(_ key: Key?, of domain: Key) -> Bool {
        if isEmpty { return false }
        return [domain, "NSGlobalDomain"].contains { domain in
            key.map { contains($0, of: domain) }
                ?? (isEverything || domains.contains(domain) || keys[domain] != nil)
        }
    }
}

/// The sensitive keys of manifests, and the state of all files that say so.
package struct CompiledManifests: Sendable {
    /// The directories on the way, then the manifests.
    package let witnesses: [FileFingerprint]
    /// The sensitive keys.
    package let secrets: ManifestSecrets

    /// Joins what belongs together.
    package init(witnesses: [FileFingerprint], secrets: ManifestSecrets) {
        (self.witnesses, self.secrets) = (witnesses, secrets)
    }

    /// The directories on the way to the manifests: those of the administrator, then those of programs' packages.
    ///
    /// Earlier engines know the first four, and take the others for manifests.
    package static let directories: [(path: String, extent: FileFingerprint.Extent)] = [
        (".", .identity), ("etc", .identity), ("etc/managed-defaults", .identity),
        ("etc/managed-defaults/manifests.d", .content),
        ("usr", .identity), ("usr/share", .identity), ("usr/share/managed-defaults", .identity),
        ("usr/share/managed-defaults/manifests.d", .content),
    ]
}

extension CompiledTable {
    /// The sensitive keys that the table of a root has of manifests.
    ///
    /// They are valid as long as the manifests are as they were, whatever became of policy. The result is `nil` if
    /// there is no table, or a manifest changed: the manifests have to be read then.
    ///
    /// Complexity: O(manifests), one status each; none is read.
    package static func manifestSecrets(root: Root) -> ManifestSecrets? {
        do {
            let file = try root.openInPlace(String(StorePath.table.dropFirst()))
            guard CompiledTable.isTrusted(file.status, root: root),
                let table = try CompiledTable(checking: try TablePages(file), root: nil)
            else { return nil }
            return try table.manifestSecrets(root: root)
        } catch {
            // A damaged cache is no failure: the manifests are read.
            return nil
        }
    }

    /// The sensitive keys of manifests.
    ///
    /// - Parameter root: the root of the manifests; `nil` checks none of them, for tests of everything else.
    /// - Returns: `nil` if their files changed, or could not be vouched for.
    /// - Throws: an error if the table is damaged.
    package func manifestSecrets(root: Root?) throws(StoredFileError) -> ManifestSecrets? {
        let count = sections[.manifests].count
        guard count > 0 else { return nil }
        if let root {
            let directories = CompiledManifests.directories
            guard count >= directories.count else { throw StoredFileError("it has too few witnesses") }
            var reader = try reader(of: .manifests)
            for index in 0..<count {
                let expected = index < directories.count ? directories[index] : nil
                guard try FileFingerprint.stillHolds(&reader, as: expected, root: root) else { return nil }
            }
        }
        var secrets = ManifestSecrets()
        var reader = try reader(of: .secrets)
        secrets.isEverything = try reader.truth()
        for _ in 1..<max(sections[.secrets].count, 1) {
            let domain = Key(try reader.text())
            if try reader.truth() { secrets.domains.insert(domain) }
            for _ in 0..<(try reader.count()) { secrets.keys[domain, default: []].insert(Key(try reader.text())) }
        }
        return secrets
    }

    /// Appends the sections of the manifests; empty ones if they cannot be vouched for.
    static func write(_ manifests: CompiledManifests?, _ sections: inout TableSections, to body: inout TableWriter) {
        let witnesses = manifests?.witnesses ?? []
        sections.write(.manifests, count: witnesses.count, to: &body) { body in
            for witness in witnesses { witness.write(to: &body) }
        }
        guard let secrets = manifests?.secrets else {
            return sections.write(.secrets, count: 0, to: &body) { _ in }
        }
        let domains = secrets.domains.union(secrets.keys.keys).sorted()
        sections.write(.secrets, count: domains.count + 1, to: &body) { body in
            body.byte(secrets.isEverything ? 1 : 0)
            for domain in domains {
                body.text(domain.string)
                body.byte(secrets.domains.contains(domain) ? 1 : 0)
                let keys = (secrets.keys[domain] ?? []).sorted()
                body.count(keys.count)
                for key in keys { body.text(key.string) }
            }
        }
    }
}
