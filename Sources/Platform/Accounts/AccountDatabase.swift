/// The users and groups in `etc/passwd` and `etc/group` beneath a root, read once.
///
/// Names compare as exact bytes. Where a name or an id stands twice the first line counts, as for the C library.
package struct AccountDatabase: Sendable {
    /// The users in the order of the file, without the later ones of the same name.
    package let accounts: [Account]
    /// The groups in the order of the file, without the later ones of the same name.
    package let groups: [AccountGroup]
    /// The lines that were skipped, and the files that could not be read.
    package let problems: [AccountProblem]
    /// Why one of the files could not be read though it is there; `nil` where both could, or are missing.
    package let failure: SystemError?
    /// The root whose files these are.
    let root: Root
    /// The index of each user by the bytes of the name.
    private let accountsByName: [[UInt8]: Int]
    /// The index of the first user of each id.
    private let accountsByID: [UInt32: Int]
    /// The index of each group by the bytes of the name.
    private let groupsByName: [[UInt8]: Int]
    /// The index of the first group of each id.
    private let groupsByID: [UInt32: Int]

    /// Reads both files; what cannot be read is in `problems`, and nothing is in its place.
    package init(root: Root) {
        self.root = root
        var problems: [AccountProblem] = []
        var failure: SystemError?
        var (accounts, groups): ([Account], [AccountGroup]) = ([], [])
        var file = AccountFile(shown: root.display("/etc/passwd"))
        do {
            accounts = file.accounts(in: try root.read("/etc/passwd", limit: AccountFile.limit).bytes)
        } catch {
            file.report(0, error.description)
            if !error.isMissing { failure = error }
        }
        problems += file.problems
        file = AccountFile(shown: root.display("/etc/group"))
        do {
            groups = file.groups(in: try root.read("/etc/group", limit: AccountFile.limit).bytes)
        } catch {
            file.report(0, error.description)
            if !error.isMissing { failure = failure ?? error }
        }
        problems += file.problems
        self.failure = failure
        (self.accounts, accountsByName) = AccountDatabase.unique(accounts) { $0.name }
        (self.groups, groupsByName) = AccountDatabase.unique(groups) { $0.name }
        accountsByID = AccountDatabase.index(self.accounts) { $0.uid }
        groupsByID = AccountDatabase.index(self.groups) { $0.gid }
        self.problems = problems
    }

    /// Makes a database of users and groups that are known from elsewhere.
    package init(accounts: [Account], groups: [AccountGroup], root: Root) {
        self.root = root
        (self.accounts, accountsByName) = AccountDatabase.unique(accounts) { $0.name }
        (self.groups, groupsByName) = AccountDatabase.unique(groups) { $0.name }
        accountsByID = AccountDatabase.index(self.accounts) { $0.uid }
        groupsByID = AccountDatabase.index(self.groups) { $0.gid }
        problems = []
        failure = nil
    }

    /// The user of a name.
    package func account(named name: String) -> Account? {
        accountsByName[Array(name.utf8)].map { accounts[$0] }
    }

    /// The first user of an id.
    package func account(uid: UInt32) -> Account? {
        accountsByID[uid].map { accounts[$0] }
    }

    /// The id of a group of a name.
    package func groupID(named name: String) -> UInt32? {
        groupsByName[Array(name.utf8)].map { groups[$0].gid }
    }

    /// The name of the first group of an id.
    package func groupName(_ gid: UInt32) -> String? {
        groupsByID[gid].map { groups[$0].name }
    }

    /// The ids of a user's groups: the primary one, then those that list the user, in the order of the file.
    package func groups(of account: Account) -> [UInt32] {
        var ids = [account.gid]
        let name = Array(account.name.utf8)
        for group in groups where !ids.contains(group.gid) {
            if group.members.contains(where: { $0.utf8.elementsEqual(name) }) { ids.append(group.gid) }
        }
        return ids
    }

    /// Keeps the first of each name, with an index of the names' bytes.
    private static func unique<Item>(_ items: [Item], name: (Item) -> String) -> ([Item], [[UInt8]: Int]) {
        var kept: [Item] = []
        var index: [[UInt8]: Int] = [:]
        for item in items {
            let key = Array(name(item).utf8)
            if index[key] != nil { continue }
            index[key] = kept.count
            kept.append(item)
        }
        return (kept, index)
    }

    /// An index of the first of each id.
    private static func index<Item>(_ items: [Item], id: (Item) -> UInt32) -> [UInt32: Int] {
        var index: [UInt32: Int] = [:]
        for (position, item) in items.enumerated() where index[id(item)] == nil { index[id(item)] = position }
        return index
    }
}
