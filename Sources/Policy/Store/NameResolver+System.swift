import Platform
import PropertyList

extension NameResolver {
    /// The ids that root's process finds, from the account files and the directory service.
    static func renewed(_ names: Names, recorded: NameTable, accounts: AccountDatabase, anew: Bool) -> NameTable {
        let users = Source(
            local: { accounts.account(named: $0.string)?.uid },
            owner: { id in accounts.account(uid: id).map { Key($0.name) } },
            directory: { name in
                answer { () throws(SystemError) in try accounts.lookUpAccount(named: name.string)?.uid }
            })
        let groups = Source(
            local: { accounts.groupID(named: $0.string) },
            owner: { id in accounts.groupName(id).map { Key($0) } },
            directory: { name in answer { () throws(SystemError) in try accounts.lookUpGroup(named: name.string) } })
        return NameTable(
            users: renewed(names.users, recorded: recorded.users, source: users, anew: anew),
            groups: renewed(names.groups, recorded: recorded.groups, source: groups, anew: anew))
    }

    /// What the directory service says; a question that fails is not a denial.
    private static func answer(_ ask: () throws(SystemError) -> UInt32?) -> Answer {
        do {
            return try ask().map { .id($0) } ?? .missing
        } catch {
            return .unavailable
        }
    }
}
