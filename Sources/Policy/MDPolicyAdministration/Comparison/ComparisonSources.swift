package import MDPlatform
package import MDPolicyCore
import MDPolicyFormats
package import MDPolicyModel
import MDPolicyStore
package import MDPropertyList

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

    /// The policy of a machine with other files in the administrator's directory; those of `/run` stay, with their rule:
    /// one of the same name comes before that of `/etc`, unless a link to `/dev/null` switches one of the two off.
    ///
    /// - Parameters:
    ///   - items: what lies in the administrator's directory.
    ///   - masks: the names that links there switch off.
    ///   - removed: other names that are gone.
    ///   - isWhole: whether files of other names are gone.
    ///   - set: the machine's present policy.
    ///   - root: its root.
    ///   - accounts: its account files.
    package init(
        etc items: [(path: String, bytes: [UInt8])], masks: Set<Key> = [], removing removed: Set<Key> = [],
        isWhole: Bool,
        beside set: PolicySet, root: Root, accounts: AccountDatabase
    ) {
        let names = Set(items.map { PolicySet.name(of: $0.path) }).union(masks).union(removed)
        let kept = set.files.filter { !isWhole && !PolicySet.isTemporary($0.path) && !names.contains($0.name) }
        let run = set.files.filter { PolicySet.isTemporary($0.path) && !masks.contains($0.name) }
        let taken = Set(run.map(\.name))
        let etc = items.filter { item in
            let name = PolicySet.name(of: item.path)
            return !taken.contains(name) && !PolicySet.isSwitchedOff(name, root)
        }
        let loaded = etc.map { path, bytes in
            let parsed = PolicyFile.parse(bytes: bytes, path: path)
            return PolicyFileState(path: path, policy: parsed.file, diagnostics: parsed.diagnostics)
        }
        let ordered = (loaded + kept + run).sorted { $0.name < $1.name }
        let wanted = NameResolver.Names(ordered.compactMap(\.policy))
        self.init(files: ordered, names: PolicySet.ids(of: wanted, root: root, accounts: accounts))
    }

    /// The name at the end of a path.
    private static func name(of path: String) -> Key {
        Key(path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path)
    }

    /// Whether a path lies below `/run`.
    package static func isTemporary(_ path: String) -> Bool {
        path.utf8.starts(with: PolicyDirectory.run.home.utf8)
    }

    /// Whether a link in `/run` switches the file of a name off.
    private static func isSwitchedOff(_ name: Key, _ root: Root) -> Bool {
        (try? root.linkTarget(PolicyDirectory.run.path(name.string))) == "/dev/null"
    }

    /// Resolves names as the machine's own policy does.
    private static func ids(of names: NameResolver.Names, root: Root, accounts: AccountDatabase) -> AccountIDs {
        if names.isEmpty { return AccountIDs() }
        guard root.isSystem else { return NameResolver.authoritative(names, accounts) }
        return NameResolver.renewed(
            names, recorded: PolicyRecordInspection(root: root).record.names, accounts: accounts
        ).ids
    }

    /// The effective policy files of a generation, without those of `/run`.
    ///
    /// - Throws: why the generation cannot be used, as a clause.
    package static func ofGeneration(
        _ number: Int, root: Root, accounts: AccountDatabase
    ) throws(StoredFileError) -> PolicySet {
        let files = try PolicySet.files(ofGeneration: number, root: root).files
        return PolicySet(files: files, root: root, accounts: accounts)
    }

    /// The policy of a machine with the files of a generation in the administrator's directory.
    ///
    /// - Throws: why the generation cannot be used, as a clause.
    package static func ofGeneration(
        _ number: Int, beside set: PolicySet, root: Root, accounts: AccountDatabase
    ) throws(StoredFileError) -> PolicySet {
        let (files, masks) = try PolicySet.files(ofGeneration: number, root: root)
        return PolicySet(etc: files, masks: masks, isWhole: true, beside: set, root: root, accounts: accounts)
    }

    /// The effective files of a generation, and the names that its links switch off.
    private static func files(
        ofGeneration number: Int, root: Root
    ) throws(StoredFileError) -> (files: [(path: String, bytes: [UInt8])], masks: Set<Key>) {
        let store = GenerationStore(root: root)
        var (files, masks): ([(path: String, bytes: [UInt8])], Set<Key>) = ([], [])
        for (name, entry) in try store.generation(number).entries where PolicyFileName.signed(name.string) == nil {
            if entry.isMask { masks.insert(name) }
            guard let digest = entry.inForce else { continue }
            files.append((PolicyDirectory.etc.path(name.string), try store.object(digest)))
        }
        return (files, masks)
    }

    /// The same files with the ids that names have on another host.
    package func renamed(_ accounts: AccountDatabase) -> PolicySet {
        let wanted = NameResolver.Names(files.compactMap(\.policy))
        return PolicySet(files: files, names: NameResolver.authoritative(wanted, accounts))
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
