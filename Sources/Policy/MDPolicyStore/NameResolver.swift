package import MDPlatform
package import MDPolicyCore
package import MDPolicyModel
package import MDPropertyList

/// Resolves the user and group names in targets to ids.
package struct NameResolver {
    package struct Names: Hashable {
        package var users: Set<Key> = []
        package var groups: Set<Key> = []

        /// Collects the names of policies.
        package init(_ policies: [PolicyFile]) {
            for policy in policies {
                if let target = policy.target {
                    insert(target.include)
                    insert(target.except)
                }
                for waiver in policy.waivers { insert(waiver.clauses) }
            }
        }

        private mutating func insert(_ clauses: Target.Clauses) {
            for user in clauses.users ?? [] { users.insert(user.name) }
            for group in clauses.groups ?? [] { groups.insert(group.name) }
        }

        package var isEmpty: Bool { users.isEmpty && groups.isEmpty }
    }

    /// The lookups for one kind of name.
    package struct Source {
        /// The id of a name in the machine's own file.
        let local: (Key) -> UInt32?
        /// The name of an id in the machine's own file.
        package let owner: (UInt32) -> Key?
        /// The answer of the name service; asked only if the file lacks the name.
        package let service: (Key) -> NameServiceCache.Answer<UInt32?>
    }

    /// Resolves names for a root that is not the system: only its own account files count.
    package static func authoritative(_ names: Names, _ accounts: AccountDatabase) -> AccountIDs {
        AccountIDs(
            users: states(names.users) { accounts.account(named: $0.string).map { .id($0.uid) } ?? .unknown },
            groups: states(names.groups) { accounts.groupID(named: $0.string).map { .id($0) } ?? .unknown })
    }

    /// Resolves names without asking a service, as readers do: from the machine's own files, which may be newer than
    /// the policy record, then from the policy record.
    package static func recorded(_ names: Names, table: AccountIDs, accounts: AccountDatabase) -> AccountIDs {
        let users = Source(
            local: { accounts.account(named: $0.string)?.uid },
            owner: { accounts.account(uid: $0).map { Key($0.name) } },
            service: { _ in .unavailable })
        let groups = Source(
            local: { accounts.groupID(named: $0.string) }, owner: { accounts.groupName($0).map { Key($0) } },
            service: { _ in .unavailable })
        return AccountIDs(
            users: renewed(names.users, recorded: table.users, source: users),
            groups: renewed(names.groups, recorded: table.groups, source: groups))
    }

    /// Resolves names as a recording command does.
    ///
    /// The machine's own file comes first, then the name service. A recorded id is retained when the service does not
    /// answer or denies the name, because a service that is down often denies; unless the file now gives that id to
    /// another name.
    package static func renewed(
        _ names: Set<Key>, recorded: [Key: AccountIDs.State], source: Source
    ) -> [Key: AccountIDs.State] {
        states(names) { name in
            if let id = source.local(name) { return .id(id) }
            if case .known(let id?) = source.service(name) { return .id(id) }
            guard case .id(let id)? = recorded[name] else { return .unknown }
            if let owner = source.owner(id), owner != name { return .unknown }
            return .id(id)
        }
    }

    private static func states(_ names: Set<Key>, _ state: (Key) -> AccountIDs.State) -> [Key: AccountIDs.State] {
        var result: [Key: AccountIDs.State] = [:]
        for name in names { result[name] = state(name) }
        return result
    }
}

extension NameResolver {
    /// Resolves names from the account files and the name service, as a recording command does.
    ///
    /// - Parameters:
    ///   - names: the names.
    ///   - recorded: the ids that were recorded.
    ///   - accounts: the machine's own account files.
    ///   - answers: the earlier answers of the service in the same operation.
    /// - Returns: the ids.
    package static func renewed(
        _ names: Names, recorded: AccountIDs, accounts: AccountDatabase,
        answers: NameServiceCache = NameServiceCache()
    ) -> AccountIDs {
        let users = Source(
            local: { accounts.account(named: $0.string)?.uid },
            owner: { id in accounts.account(uid: id).map { Key($0.name) } },
            service: { name in
                answers.answer(.user(name)) { () throws(SystemError) in
                    try accounts.lookUpAccount(named: name.string)
                }.map { $0?.uid }
            })
        let groups = Source(
            local: { accounts.groupID(named: $0.string) },
            owner: { id in accounts.groupName(id).map { Key($0) } },
            service: { name in
                answers.answer(.group(name)) { () throws(SystemError) in
                    try accounts.lookUpGroup(named: name.string)
                }
            })
        return AccountIDs(
            users: renewed(names.users, recorded: recorded.users, source: users),
            groups: renewed(names.groups, recorded: recorded.groups, source: groups))
    }
}
