package import MDPlatform
import MDPolicyCore
package import MDPolicyModel
package import MDPropertyList

/// Resolves the user and group names in targets to ids.
package struct NameResolver {
    package struct Names: Hashable, Sendable {
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

    /// Resolves names for a root that is not the system: only its own account files count.
    package static func authoritative(_ names: Names, _ accounts: AccountDatabase) -> AccountIDs {
        AccountIDs(
            users: states(names.users) { accounts.account(named: $0.string).map { .id($0.uid) } ?? .unknown },
            groups: states(names.groups) { accounts.groupID(named: $0.string).map { .id($0) } ?? .unknown })
    }

    /// Resolves names without asking a service, as readers do: from the machine's own files, which may be newer than
    /// the policy record, then from the policy record.
    package static func recorded(_ names: Names, table: AccountIDs, accounts: AccountDatabase) -> AccountIDs {
        let (users, groups) = (files(of: accounts, .user), files(of: accounts, .group))
        return AccountIDs(
            users: states(names.users) { recorded($0, table.user($0), users) },
            groups: states(names.groups) { recorded($0, table.group($0), groups) })
    }

    /// The recorded state of a name, unless the machine's files have the name, or give its ids to others.
    private static func recorded(
        _ name: Key, _ state: AccountIDs.State, _ files: NameRenewal.Files
    ) -> AccountIDs.State {
        files.id(name).map { .id($0) } ?? AccountIDs.State(files.left(of: state, for: name))
    }

    private static func states(_ names: Set<Key>, _ state: (Key) -> AccountIDs.State) -> [Key: AccountIDs.State] {
        var result: [Key: AccountIDs.State] = [:]
        for name in names { result[name] = state(name) }
        return result
    }
}

extension NameResolver {
    /// Resolves names from the machine's own files and the name services, as a recording command does.
    ///
    /// - Parameters:
    ///   - names: the names.
    ///   - recorded: the ids that were recorded.
    ///   - accounts: the machine's own files.
    ///   - inquiry: the earlier replies in the same operation.
    ///   - isAtOnce: whether what the services say now counts at once.
    /// - Returns: the ids, and what else is known of the names.
    package static func renewed(
        _ names: Names, recorded: AccountIDs, accounts: AccountDatabase, inquiry: NameInquiry = NameInquiry(),
        isAtOnce: Bool = false
    ) -> NameRenewal {
        let ledger = NameLedger(root: .system)
        let (users, groups) = (files(of: accounts, .user), files(of: accounts, .group))
        let asked =
            names.users.filter { users.id($0) == nil }.map { NameLedger.Name(.user, $0) }
            + names.groups.filter { groups.id($0) == nil }.map { NameLedger.Name(.group, $0) }
        /// How long a name can wait: those without an id come first, then those that got no answer.
        func rank(_ name: NameLedger.Name) -> Int {
            let state = name.kind == .user ? recorded.user(name.name) : recorded.group(name.name)
            return state == .unknown ? 0 : ledger.entries[name]?.silent != nil ? 1 : 2
        }
        let ordered = asked.map { (rank($0), $0) }.sorted { $0 < $1 }.map(\.1)
        return NameRenewal(
            names, recorded: recorded, ledger: ledger, users: users, groups: groups,
            replies: ordered.isEmpty ? [:] : inquiry.replies(to: ordered, accounts), now: Clock.now(),
            isAtOnce: isAtOnce)
    }

    /// The lookups in the machine's own files.
    static func files(of accounts: AccountDatabase, _ kind: NameLedger.Kind) -> NameRenewal.Files {
        switch kind {
        case .user:
            NameRenewal.Files(
                id: { accounts.account(named: $0.string)?.uid },
                name: { accounts.account(uid: $0).map { Key($0.name) } })
        case .group:
            NameRenewal.Files(
                id: { accounts.groupID(named: $0.string) }, name: { accounts.groupName($0).map { Key($0) } })
        }
    }
}
