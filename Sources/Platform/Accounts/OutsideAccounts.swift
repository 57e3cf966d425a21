/// The users and groups of a machine as seen from a user namespace, where anybody can mount files over files.
package struct OutsideAccounts {
    /// The files.
    private let files: AccountScan
    /// Whether there are no users and groups but those that the files list, and those that systemd(1) knows.
    package let areAll: Bool

    /// The directory of the files, which must not be a mount, nor have any beneath it on the way.
    private static let directory = "/etc"

    /// Reads the files.
    ///
    /// `nil` where one of the two cannot be trusted.
    package init?(root: Root) {
        guard let users = OutsideAccounts.read("/etc/passwd", root),
            let groups = OutsideAccounts.read("/etc/group", root)
        else { return nil }
        files = AccountScan(users: users, groups: groups)
        areAll = NameServices(text: OutsideAccounts.read(NameServices.path, root)).areOfMachine
    }

    /// The first user of an id.
    package func account(uid: UInt32) -> Account? { files.account(uid: uid) }

    /// The user of a name.
    package func account(named name: String) -> Account? { files.account(named: name) }

    /// The id of the group of a name.
    package func groupID(named name: String) -> UInt32? { files.groupID(named: name) }

    /// The ids of a user's groups: the primary one, then those that list the user.
    package func groups(of account: Account) -> [UInt32] { files.groups(of: account) }

    /// The names of some groups, without those that have none.
    package func groupNames(_ ids: [UInt32]) -> [String] { files.groupNames(ids).compactMap { $0 } }

    /// Reads a file that only the machine's root could have put there.
    private static func read(_ path: String, _ root: Root) -> [UInt8]? {
        try? root.readTrusted(path, limit: AccountFile.limit, unmounted: directory).bytes
    }
}
