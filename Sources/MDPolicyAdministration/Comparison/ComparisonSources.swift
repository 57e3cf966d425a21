package import MDPlatform
package import MDPolicyCore
import MDPolicyFormats
package import MDPolicyModel
import MDPolicyStore
import MDPropertyList

extension PolicySet {
    /// Makes the policy set that results if some files are in a machine's administrator's directory.
    ///
    /// - Parameters:
    ///   - files: the paths for messages and the bytes, in any order.
    ///   - root: the root of the machine whose users and groups the targets name.
    ///   - accounts: its account files.
    package init(files: [(path: String, bytes: [UInt8])], root: Root, accounts: AccountDatabase) {
        let loaded = files.map { path, bytes in
            let parsed = PolicyFile.parse(bytes: bytes, path: path)
            return PolicyFileState(path: path, policy: parsed.file, diagnostics: parsed.diagnostics)
        }
        let ordered = loaded.sorted { $0.name < $1.name }
        let wanted = NameResolver.Names(ordered.compactMap(\.policy))
        self.init(files: ordered, names: PolicySet.ids(of: wanted, root: root, accounts: accounts))
    }

    /// Resolves names as the machine's own policy does.
    private static func ids(of names: NameResolver.Names, root: Root, accounts: AccountDatabase) -> AccountIDs {
        if names.isEmpty { return AccountIDs() }
        guard root.isSystem else { return NameResolver.authoritative(names, accounts) }
        return NameResolver.renewed(
            names, recorded: PolicyRecordInspection(root: root).record.names, accounts: accounts)
    }

    /// The effective policy files of a generation, without those of `/run`.
    ///
    /// - Throws: why the generation cannot be used, as a clause.
    package static func ofGeneration(
        _ number: Int, root: Root, accounts: AccountDatabase
    ) throws(StoredFileError) -> PolicySet {
        let store = GenerationStore(root: root)
        var files: [(path: String, bytes: [UInt8])] = []
        for (name, entry) in try store.generation(number).entries where PolicyFileName.signed(name.string) == nil {
            guard let digest = entry.inForce else { continue }
            files.append((PolicyDirectory.etc.path(name.string), try store.object(digest)))
        }
        return PolicySet(files: files, root: root, accounts: accounts)
    }

    /// The policy files of a directory outside of any machine, or a single file.
    ///
    /// Neither owners nor signatures are checked. Names that a policy directory ignores are ignored.
    package static func ofSources(
        at path: String, root: Root, accounts: AccountDatabase
    ) throws(SystemError) -> PolicySet {
        let system = Root.system
        guard try system.status(path, followingLinks: true).kind == .directory else {
            let bytes = try system.read(path, limit: PolicyFile.limits.bytes).bytes
            return PolicySet(files: [(path, bytes)], root: root, accounts: accounts)
        }
        var files: [(path: String, bytes: [UInt8])] = []
        for name in try system.names(in: path) where PolicyFileName.reasonToIgnore(name) == nil {
            let file = "\(path)/\(name)"
            if try system.status(file, followingLinks: false).kind == .link, try system.linkTarget(file) == "/dev/null"
            {
                continue
            }
            files.append((file, try system.read(file, limit: PolicyFile.limits.bytes).bytes))
        }
        return PolicySet(files: files, root: root, accounts: accounts)
    }
}
