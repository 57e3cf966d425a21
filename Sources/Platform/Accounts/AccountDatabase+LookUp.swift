import Glibc

/// Users and groups that the files lack, asked of the machine's directory service by `getent`.
///
/// Beneath a folder the files are all there is. Each question is waited for 250 ms at most.
extension AccountDatabase {
    /// The user of a name.
    ///
    /// - Returns: `nil` where nobody knows the name.
    /// - Throws: where the directory service gave no answer, so that the user may exist.
    package func lookUpAccount(named name: String) throws(SystemError) -> Account? {
        if let account = account(named: name) { return account }
        var found = try ask("passwd", name) { $0.accounts(in: $1).first { $0.name.utf8.elementsEqual(name.utf8) } }
        found?.isOfDirectory = true
        return found
    }

    /// The user of an id.
    ///
    /// - Returns: `nil` where nobody knows the id.
    /// - Throws: where the directory service gave no answer, so that the user may exist.
    package func lookUpAccount(uid: UInt32) throws(SystemError) -> Account? {
        if let account = account(uid: uid) { return account }
        var found = try ask("passwd", String(uid)) { $0.accounts(in: $1).first { $0.uid == uid } }
        found?.isOfDirectory = true
        return found
    }

    /// The id of a group of a name.
    ///
    /// - Returns: `nil` where nobody knows the name.
    /// - Throws: where the directory service gave no answer, so that the group may exist.
    package func lookUpGroup(named name: String) throws(SystemError) -> UInt32? {
        if let id = groupID(named: name) { return id }
        return try ask("group", name) { $0.groups(in: $1).first { $0.name.utf8.elementsEqual(name.utf8) }?.gid }
    }

    /// The name of a group of an id.
    ///
    /// - Returns: `nil` where nobody knows the id.
    /// - Throws: where the directory service gave no answer, so that the group may have a name.
    package func lookUpGroupName(_ gid: UInt32) throws(SystemError) -> String? {
        if let name = groupName(gid) { return name }
        return try ask("group", String(gid)) { $0.groups(in: $1).first { $0.gid == gid }?.name }
    }

    /// The ids of a user's groups, the directory service's included: the primary one first.
    ///
    /// - Returns: those of the files where the directory service knows nothing of the user.
    /// - Throws: where the directory service gave no answer, so that there may be more.
    package func lookUpGroups(of account: Account) throws(SystemError) -> [UInt32] {
        var ids = groups(of: account)
        let more = try ask("initgroups", account.name) { _, bytes in GetentAnswer.groups(in: bytes, of: account.name) }
        for id in more ?? [] where !ids.contains(id) { ids.append(id) }
        return ids
    }

    /// Asks one question and reads the answer.
    private func ask<Answer>(
        _ database: String, _ key: String, read: (inout AccountFile, [UInt8]) -> Answer?
    ) throws(SystemError) -> Answer? {
        guard root.isSystem, GetentAnswer.isKey(key) else { return nil }
        let tool = Root.system.getent
        guard let output = try GetentAnswer.ask(tool: tool, database, key) else { return nil }
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
