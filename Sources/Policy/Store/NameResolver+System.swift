import Platform
import PropertyList

extension NameResolver {
    /// The ids that a recording verb finds, from the account files and the directory service.
    ///
    /// - Parameters:
    ///   - names: the names.
    ///   - recorded: what is known of them.
    ///   - accounts: the machine's own files.
    ///   - answers: what the service said before in the same piece of work.
    /// - Returns: the ids.
    static func renewed(
        _ names: Names, recorded: NameTable, accounts: AccountDatabase,
        answers: DirectoryAnswers = DirectoryAnswers()
    ) -> NameTable {
        let users = Source(
            local: { accounts.account(named: $0.string)?.uid },
            owner: { id in accounts.account(uid: id).map { Key($0.name) } },
            directory: { name in
                answers.answer(.init(isGroup: false, name: name)) { () throws(SystemError) in
                    try accounts.lookUpAccount(named: name.string)?.uid
                }
            })
        let groups = Source(
            local: { accounts.groupID(named: $0.string) },
            owner: { id in accounts.groupName(id).map { Key($0) } },
            directory: { name in
                answers.answer(.init(isGroup: true, name: name)) { () throws(SystemError) in
                    try accounts.lookUpGroup(named: name.string)
                }
            })
        return NameTable(
            users: renewed(names.users, recorded: recorded.users, source: users),
            groups: renewed(names.groups, recorded: recorded.groups, source: groups))
    }
}
