import Glibc

/// The users and groups in `etc/passwd` and `etc/group` beneath a root, read once.
///
/// Names compare as exact bytes. If a name or an id occurs twice the first line counts, as for the C library.
package struct AccountDatabase: Sendable {
    /// The users in the order of the file, without the later ones of the same name.
    package let accounts: [Account]
    /// The groups in the order of the file, without the later ones of the same name.
    package let groups: [AccountGroup]
    /// The lines that were skipped, and the files that could not be read.
    package let problems: [AccountProblem]
    /// Why one of the files could not be read though it exists; `nil` if both could, or are missing.
    package let failure: SystemError?
    /// The root whose files these are.
    package let root: Root
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

    /// Creates a database of given users and groups.
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

    /// Removes the later items of each name, and indexes the names' bytes.
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

/// Looks up users and groups that are not in the files, by the helper program of this package, else by `getent`.
///
/// Beneath a folder there are only the files. Each question waits 250 ms at most. A name counts whatever its spelling in
/// the answer.
extension AccountDatabase {
    /// Looks up a user by name.
    ///
    /// - Returns: `nil` if no source has the name.
    /// - Throws: an error if the name services gave no answer, so that the user may exist.
    package func lookUpAccount(named name: String) throws(SystemError) -> Account? {
        if let account = account(named: name) { return account }
        return try user(.user(name)) { () throws(SystemError) in
            try ask("passwd", name) { $0.accounts(in: $1).first }
        }
    }

    /// Looks up a user by id.
    ///
    /// - Returns: `nil` if no source has the id.
    /// - Throws: an error if the name services gave no answer, so that the user may exist.
    package func lookUpAccount(uid: UInt32) throws(SystemError) -> Account? {
        if let account = account(uid: uid) { return account }
        return try user(.userID(uid)) { () throws(SystemError) in
            try ask("passwd", id: uid) { $0.accounts(in: $1).first { $0.uid == uid } }
        }
    }

    /// Looks up a group by name, without its members.
    ///
    /// - Returns: `nil` if no source has the name.
    /// - Throws: an error if the name services gave no answer, so that the group may exist.
    package func lookUpGroup(named name: String) throws(SystemError) -> AccountGroup? {
        if let id = groupID(named: name) { return AccountGroup(name: name, gid: id, members: []) }
        return try group(.group(name)) { () throws(SystemError) in
            try ask("group", name) { $0.groups(in: $1).first }
        }
    }

    /// Looks up the name of a group by id.
    ///
    /// - Returns: `nil` if no source has the id.
    /// - Throws: an error if the name services gave no answer, so that the group may have a name.
    package func lookUpGroupName(_ gid: UInt32) throws(SystemError) -> String? {
        if let name = groupName(gid) { return name }
        return try group(.groupID(gid)) { () throws(SystemError) in
            try ask("group", id: gid) { $0.groups(in: $1).first { $0.gid == gid } }
        }?.name
    }

    /// Looks up the ids of a user's groups, those of the name services included: the primary one first.
    ///
    /// - Returns: only those of the files if the name services do not have the user.
    /// - Throws: an error if the name services gave no answer, so that there may be more.
    package func lookUpGroups(of account: Account) throws(SystemError) -> [UInt32] {
        var ids = groups(of: account)
        guard root.isSystem else { return ids }
        var more = try NameService.groups(of: account, root: root)
        if more == nil {
            more = try ask("initgroups", account.name) { _, bytes in Getent.groups(in: bytes, of: account.name) }
        }
        for id in more ?? [] where !ids.contains(id) { ids.append(id) }
        return ids
    }

    /// Asks for a user; `other` asks if there is no helper.
    private func user(
        _ question: NameQuestion, _ other: () throws(SystemError) -> Account?
    ) throws(SystemError) -> Account? {
        guard root.isSystem else { return nil }
        guard let answer = try NameService.reply(to: question, root: root) else {
            var found = try other()
            found?.isFromNameService = true
            return found
        }
        guard case .user(var account) = answer.answer else { return nil }
        account.isFromNameService = true
        account.service = answer.service
        return account
    }

    /// Asks for a group; `other` asks if there is no helper.
    private func group(
        _ question: NameQuestion, _ other: () throws(SystemError) -> AccountGroup?
    ) throws(SystemError) -> AccountGroup? {
        guard root.isSystem else { return nil }
        guard let answer = try NameService.reply(to: question, root: root) else { return try other() }
        guard case .group(let id, let name) = answer.answer else { return nil }
        return AccountGroup(name: name, gid: id, members: [])
    }

    /// Asks `getent` for a name and reads the answer.
    private func ask<Answer>(
        _ database: String, _ name: String, read: (inout AccountFile, [UInt8]) -> Answer?
    ) throws(SystemError) -> Answer? {
        guard Getent.isKey(name) else { return nil }
        if database != "initgroups", Getent.isNumber(name) {
            throw SystemError(
                operation: "look up \(name) with", path: root.getent, code: EINVAL,
                reason: "it takes the name for an id, and \(NameService.helper) is not installed")
        }
        return try askTool(database, name, read: read)
    }

    /// Asks `getent` for an id and reads the answer.
    private func ask<Answer>(
        _ database: String, id: UInt32, read: (inout AccountFile, [UInt8]) -> Answer?
    ) throws(SystemError) -> Answer? {
        try askTool(database, String(id), read: read)
    }

    /// Asks `getent` for a key and reads the answer.
    private func askTool<Answer>(
        _ database: String, _ key: String, read: (inout AccountFile, [UInt8]) -> Answer?
    ) throws(SystemError) -> Answer? {
        guard root.isSystem else { return nil }
        guard let output = try Getent.ask(tool: Root.system.getent, database, key) else { return nil }
        var file = AccountFile(shown: "getent")
        return read(&file, output)
    }
}

extension Root {
    /// The path of getent.
    var getent: String {
        (try? status("/usr/bin/getent", followingLinks: true)) != nil ? "/usr/bin/getent" : "/bin/getent"
    }
}

/// All users, for questions that are not about a single one.
extension AccountDatabase {
    /// All users in the files; `nil` if a line of them was skipped, or there are none, so that there may be others.
    package var fileIndex: AccountIndex? {
        accounts.isEmpty || !problems.isEmpty ? nil : AccountIndex(accounts: accounts, groups: groups)
    }

    /// All users that the machine's C library lists.
    ///
    /// - Returns: `nil` if a source does not list its users, or did not answer.
    package func lookUpIndex() -> AccountIndex? {
        guard root.isSystem, NameServiceSwitch(root: root).areListed else { return nil }
        var file = AccountFile(shown: "getent")
        guard let users = try? Getent.list(tool: root.getent, "passwd"),
            let groups = try? Getent.list(tool: root.getent, "group")
        else { return nil }
        let index = AccountIndex(accounts: file.accounts(in: users), groups: file.groups(in: groups))
        return file.problems.isEmpty ? index : nil
    }

    /// Whether the machine's C library reads only the machine's own files, so that these list all users.
    package var areFilesTheOnlySource: Bool { NameServiceSwitch(root: root).areFilesTheOnlySource }

    /// Whether users may get groups at login that no list contains: pam_group(8) adds those of
    /// `/etc/security/group.conf`.
    package var areGroupsGivenAtLogin: Bool {
        guard root.isSystem else { return false }
        do throws(SystemError) {
            let text = try root.read("/etc/security/group.conf", limit: 1 << 20).bytes
            return text.split(separator: 0x0a).contains { line in
                line.first { $0 != 0x20 && $0 != 0x09 }.map { $0 != UInt8(ascii: "#") } ?? false
            }
        } catch {
            return !error.isMissing
        }
    }
}
