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

    /// The ids as a process has them that may not ask: those of the machine's own files, which may know more than when
    /// the names were recorded, then those of the record, and `unresolved` for the rest.
    static func recorded(_ names: Names, table: NameTable, accounts: AccountDatabase) -> NameTable {
        let users = Source(
            local: { accounts.account(named: $0.string)?.uid },
            owner: { accounts.account(uid: $0).map { Key($0.name) } },
            directory: { _ in .unavailable })
        let groups = Source(
            local: { accounts.groupID(named: $0.string) }, owner: { accounts.groupName($0).map { Key($0) } },
            directory: { _ in .unavailable })
        return NameTable(
            users: renewed(names.users, recorded: table.users, source: users, anew: false),
            groups: renewed(names.groups, recorded: table.groups, source: groups, anew: false))
    }

    /// The ids in a user namespace: those of the machine's own files, where these can be trusted, and `unresolved` for what
    /// only another could tell.
    ///
    /// The record gives no name an id there, for who may make mounts may have brought his own. It tells which names nobody has,
    /// where that cannot be: the files do not list whom systemd(1) knows.
    ///
    /// - Parameters:
    ///   - names: the names.
    ///   - table: what was recorded of them.
    ///   - isRecordOfMachine: whether nobody can have brought another record.
    ///   - accounts: the files; `nil` where they cannot be trusted.
    /// - Returns: the ids.
    static func outside(
        _ names: Names, table: NameTable, isRecordOfMachine: Bool, _ accounts: OutsideAccounts?
    ) -> NameTable {
        /// What a name is that is not in the files.
        func missing(_ name: Key, _ recorded: [Key: NameTable.State]) -> NameTable.State {
            accounts?.areAll == true && isRecordOfMachine && recorded[name] == .unknown ? .unknown : .unresolved
        }
        return NameTable(
            users: states(names.users) { name in
                accounts?.account(named: name.string).map { .id($0.uid) } ?? missing(name, table.users)
            },
            groups: states(names.groups) { name in
                accounts?.groupID(named: name.string).map { .id($0) } ?? missing(name, table.groups)
            })
    }

    /// The ids that root's process finds and records.
    ///
    /// The machine's own file comes first. A name that it lacks is asked of the directory service where the table does
    /// not know it, or `anew`. What has an id keeps it when the service does not answer or denies the name, since a
    /// service that is down often denies: unless the file now gives that id to another name.
    static func renewed(
        _ names: Set<Key>, recorded: [Key: NameTable.State], source: Source, anew: Bool
    ) -> [Key: NameTable.State] {
        states(names) { name in
            if let id = source.local(name) { return .id(id) }
            var last = recorded[name]
            if case .id(let id) = last, let owner = source.owner(id), owner != name { last = .unknown }
            if let last, !anew, last != .unresolved { return last }
            switch (source.directory(name), last) {
            case (.id(let id), _): return .id(id)
            case (_, .id(let id)): return .id(id)
            case (.missing, _): return .unknown
            case (.unavailable, let last): return last ?? .unresolved
            }
        }
    }

    /// What is known of each name.
    private static func states(_ names: Set<Key>, _ state: (Key) -> NameTable.State) -> [Key: NameTable.State] {
        var result: [Key: NameTable.State] = [:]
        for name in names { result[name] = state(name) }
        return result
    }
}
