import Platform
import PropertyList

/// Turns the names in targets into ids.
struct NameResolver {
    /// What a directory service, or a file, says of a name.
    enum Answer: Hashable {
        /// It has this id.
        case id(UInt32)
        /// It does not exist.
        case missing
        /// Nobody could tell.
        case unavailable
    }

    /// The names that targets and waivers use.
    struct Names: Hashable {
        /// User names.
        var users: Set<Key> = []
        /// Group names.
        var groups: Set<Key> = []

        /// Collects the names of policies.
        init(_ policies: [PolicyFile]) {
            for policy in policies {
                if let target = policy.target {
                    insert(target.include)
                    insert(target.except)
                }
                for waiver in policy.waivers { insert(waiver.clauses) }
            }
        }

        /// Adds the names of clauses.
        private mutating func insert(_ clauses: Target.Clauses) {
            for user in clauses.users ?? [] { users.insert(user.name) }
            for group in clauses.groups ?? [] { groups.insert(group.name) }
        }

        /// Whether there are none.
        var isEmpty: Bool { users.isEmpty && groups.isEmpty }
    }

    /// One kind of name: how to look it up.
    struct Source {
        /// The id in the machine's own file.
        let local: (Key) -> UInt32?
        /// The name that has an id in the machine's own file.
        let owner: (UInt32) -> Key?
        /// What the directory service says; asked only where the file does not know.
        let directory: (Key) -> Answer
    }

    /// The ids as a folder that stands for a machine has them: its own files decide, and nobody else is asked.
    static func authoritative(_ names: Names, _ accounts: AccountDatabase) -> NameTable {
        NameTable(
            users: states(names.users) { accounts.account(named: $0.string).map { .id($0.uid) } ?? .unknown },
            groups: states(names.groups) { accounts.groupID(named: $0.string).map { .id($0) } ?? .unknown })
    }

    /// The ids as a reader has them, who asks no service: those of the machine's own files, which may know more than when
    /// the names were recorded, then those of the record.
    static func recorded(_ names: Names, table: NameTable, accounts: AccountDatabase) -> NameTable {
        let users = Source(
            local: { accounts.account(named: $0.string)?.uid },
            owner: { accounts.account(uid: $0).map { Key($0.name) } },
            directory: { _ in .unavailable })
        let groups = Source(
            local: { accounts.groupID(named: $0.string) }, owner: { accounts.groupName($0).map { Key($0) } },
            directory: { _ in .unavailable })
        return NameTable(
            users: renewed(names.users, recorded: table.users, source: users),
            groups: renewed(names.groups, recorded: table.groups, source: groups))
    }

    /// The ids that a recording verb finds.
    ///
    /// The machine's own file comes first, then the directory service. What has an id keeps it when the service does not
    /// answer or denies the name, since a service that is down often denies: unless the file now gives that id to another
    /// name.
    static func renewed(
        _ names: Set<Key>, recorded: [Key: NameTable.State], source: Source
    ) -> [Key: NameTable.State] {
        states(names) { name in
            if let id = source.local(name) { return .id(id) }
            if case .id(let id) = source.directory(name) { return .id(id) }
            guard case .id(let id)? = recorded[name] else { return .unknown }
            if let owner = source.owner(id), owner != name { return .unknown }
            return .id(id)
        }
    }

    /// What is known of each name.
    private static func states(_ names: Set<Key>, _ state: (Key) -> NameTable.State) -> [Key: NameTable.State] {
        var result: [Key: NameTable.State] = [:]
        for name in names { result[name] = state(name) }
        return result
    }
}
