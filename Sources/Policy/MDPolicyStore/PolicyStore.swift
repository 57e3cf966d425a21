package import MDPlatform
package import MDPolicyCore
import MDPolicyFormats
package import MDPolicyModel
package import MDPropertyList

/// Policy on disk beneath a root: the policy directories, the policy record, the recorded copies and the compiled
/// table.
package struct PolicyStore: Sendable {
    package let root: Root
    /// The machine's account files, if the caller has read them.
    package let accounts: AccountDatabase?
    /// Whether only the caller's accounts count, because they are those of another host.
    let accountsDecide: Bool
    /// How far apart two equal listings must be for a missing name to be removed, in microseconds.
    package let settlingTime: Int64
    /// The answers of the signature tools in this process.
    package let verifications = VerificationCache()
    /// The replies of the name services for this store.
    package let inquiry = NameInquiry()

    /// The default of ``settlingTime``, in microseconds.
    package static let standardSettlingTime: Int64 = 500_000

    /// - Parameters:
    ///   - root: the root of the policy.
    ///   - accounts: the account files of the root, if the caller has read them; else they are read when needed.
    ///   - accountsDecide: whether only these accounts count, because they are those of another host.
    ///   - settlingTime: how far apart two equal listings must be for a missing name to be removed, in microseconds.
    package init(
        root: Root, accounts: AccountDatabase? = nil, accountsDecide: Bool = false,
        settlingTime: Int64 = PolicyStore.standardSettlingTime
    ) {
        self.root = root
        self.accounts = accounts
        self.accountsDecide = accountsDecide
        self.settlingTime = settlingTime
    }

    /// Whether there can be policy at all: a policy directory or the directory of the policy record exists.
    ///
    /// If that is unknown, the machine counts as managed.
    package var isManaged: Bool { PolicyDirectory.mayExist(in: root) }

    /// Whether the machine has neither `/etc/managed-defaults` nor a policy record.
    ///
    /// Both may have been moved away, so a record written then would end what running programs retain.
    package var isBereft: Bool { !root.mayExist(PolicyDirectory.etc.home) && !root.mayExist(StorePath.record) }

    /// Whether this process may record policy: it runs as root, or as the owner of a root that is not the system.
    package var mayWrite: Bool {
        // Files written by root of a user namespace would not be trusted outside of it.
        CurrentProcess.euid == root.owner && !(root.isSystem && UserNamespace.isForeign)
    }

    /// The names of the exams and grants that outlast a boot; `nil` if their folder is missing, cannot be listed, or is
    /// not trusted.
    package static func lastingNames(in root: Root) -> Set<Key>? {
        (try? root.trustedNames(in: StorePath.temporary)).map { names in
            Set(names.lazy.filter { PolicyFileName.reasonToIgnore($0) == nil }.map { Key($0) })
        }
    }

    /// Reads policy without writing or locking.
    ///
    /// - Returns: the policy set, with all errors as findings.
    package func load() -> PolicySet {
        isManaged ? scan(.reading).set() : .unmanaged
    }

    /// The findings about the recorded copies.
    ///
    /// Complexity: each copy is read.
    package func copyFaults() -> [Diagnostic] {
        RecordedCopies(root: root).faults(of: PolicyRecordInspection(root: root).record)
    }

    /// Scans everything that policy consists of.
    ///
    /// - Parameters:
    ///   - purpose: the purpose of the scan.
    ///   - earlier: a scan whose policy files are not read again if they are unchanged.
    /// - Returns: the scan.
    package func scan(_ purpose: PolicyScan.Purpose, after earlier: PolicyScan? = nil) -> PolicyScan {
        PolicyScan(root: root, purpose, after: earlier) { names, recorded in
            if root.isSystem, UserNamespace.isForeign { return (recorded, nil) }
            let accounts = accounts ?? AccountDatabase(root: root)
            guard root.isSystem, !accountsDecide else { return (NameResolver.authoritative(names, accounts), nil) }
            if case .reading = purpose {
                return (NameResolver.recorded(names, table: recorded, accounts: accounts), nil)
            }
            let renewal = NameResolver.renewed(names, recorded: recorded, accounts: accounts, inquiry: inquiry)
            return (renewal.ids, renewal.ledger)
        }
    }
}

extension PolicyStore {
    /// The most folders that are watched because links lead there.
    private static let linkFolderLimit = 256
    /// The most links that one name may lead through, as in the kernel.
    private static let linkLimit = 40

    /// The folders, under the root, that policy files which are links lead to.
    ///
    /// A change there changes policy although nothing in the policy directories changes.
    ///
    /// - Parameter set: the policy files.
    /// - Returns: each folder once, in byte order, without those that are watched anyway.
    package func linkFolders(of set: PolicySet) -> [String] {
        var folders: Set<Key> = []
        for file in set.files where file.linkTarget != nil {
            if folders.count >= PolicyStore.linkFolderLimit { break }
            folders.formUnion(linkFolders(of: file).map { Key($0) })
        }
        let known = Set(PolicyStore.watchedFolders.map { Key($0) })
        return folders.subtracting(known).sorted().map(\.string)
    }

    /// The folders, under the root, that the links of a policy file lead through, in order; none if it is not a link.
    package func linkFolders(of file: PolicyFileState) -> [String] {
        guard file.linkTarget != nil else { return [] }
        var folders: [String] = []
        var path = file.path
        for _ in 0..<PolicyStore.linkLimit {
            guard let target = try? root.linkTarget(path), target != "/dev/null" else { break }
            let folder = PolicyStore.folder(of: path)
            path = target.utf8.first == UInt8(ascii: "/") ? target : "\(folder)/\(target)"
            folders.append(PolicyStore.folder(of: path))
        }
        return folders
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "/" }
        let folder = String(Substring(path.utf8[..<slash]))
        return folder.isEmpty ? "/" : folder
    }
}

extension PolicyStore {
    /// The folders, under the root, whose changes may change policy: the policy directories, the folders above them,
    /// which hold the tags and may get a policy directory, and the folder of the policy record; and the files of the host
    /// name and of the time zone.
    ///
    /// A change of the policy record changes policy: names leave it, signatures get checked, names get ids.
    package static var watchedFolders: [String] {
        PolicyDirectory.allCases.flatMap { [$0.home, $0.directory] } + [
            StorePath.home, Machine.hostNamePath, ZoneDatabase.machineFile,
        ]
    }

    /// Whether a change in one of these folders may change policy.
    ///
    /// Locks and temporary files beside the policy record do not count.
    package static func mayChangePolicy(_ change: FolderChange) -> Bool {
        guard Key(change.folder) == Key(StorePath.home), let names = change.names else { return true }
        // A program of a user who was not in the register of people may have values with a name in them now.
        let watched = [StorePath.record, StorePath.table, PeopleRegister.path].map { Key($0) }
        return names.contains { watched.contains(Key("\(StorePath.home)/\($0)")) }
    }
}
