package import MDPlatform
package import MDPropertyList

/// The users, hosts and times that a policy file applies to.
package struct Target: Hashable, Sendable {
    /// The four clauses of users, groups, hosts and tags; `nil` is a clause that was not given.
    package struct Clauses: Hashable, Sendable {
        /// User names.
        package let users: [TargetName]?
        /// Group names.
        package let groups: [TargetName]?
        /// Patterns of host names.
        package let hosts: [HostPattern]?
        /// Words of the machine's tags file.
        package let tags: [TargetName]?

        package init(
            users: [TargetName]? = nil, groups: [TargetName]? = nil, hosts: [HostPattern]? = nil,
            tags: [TargetName]? = nil
        ) {
            self.users = users
            self.groups = groups
            self.hosts = hosts
            self.tags = tags
        }

        /// Whether no clause was given.
        package var isEmpty: Bool { users == nil && groups == nil && hosts == nil && tags == nil }
    }

    /// The clauses that must match: each one that was given, by any of its items.
    package let include: Clauses
    /// The clauses that exclude: each subject that any of them matches.
    package let except: Clauses
    /// The weekly windows; at least one must be open, and `nil` is always open.
    package let schedule: [ScheduleItem]?
    /// The first moment at which the file applies, if given.
    package let notBefore: Timestamp?
    /// The first moment at which the file does not apply any more, if given.
    package let notAfter: Timestamp?

    package init(
        include: Clauses, except: Clauses = Clauses(), schedule: [ScheduleItem]? = nil, notBefore: Timestamp? = nil,
        notAfter: Timestamp? = nil
    ) {
        self.include = include
        self.except = except
        self.schedule = schedule
        self.notBefore = notBefore
        self.notAfter = notAfter
    }
}

/// One item of a clause, with its place in the file.
package struct TargetName: Hashable, Sendable {
    /// The name of a user, group or tag, compared as bytes.
    package let name: Key
    package let position: Position
    /// The id, if already resolved; `nil` if it must be resolved by name.
    package let state: AccountIDs.State?

    /// Makes an item of a policy file.
    package init(_ name: Key, position: Position = .start) {
        self.init(name, position: position, state: nil)
    }

    /// Makes an item of a compiled table.
    package init(_ name: Key, position: Position, state: AccountIDs.State?) {
        self.name = name
        self.position = position
        self.state = state
    }
}

/// The fields of `Target`; its `Except` and a waiver have the first four.
package enum TargetField: String, CaseIterable {
    /// User names.
    case users = "Users"
    /// Group names.
    case groups = "Groups"
    /// Patterns of host names.
    case hosts = "Hosts"
    /// Words of the machine's tags file.
    case tags = "Tags"
    /// The clauses that exclude.
    case except = "Except"

    /// The weekly windows.
    case schedule = "Schedule"
    /// The first moment at which the file applies.
    case notBefore = "NotBefore"
    /// The first moment at which the file does not apply any more.
    case notAfter = "NotAfter"

    /// Every name of a field of `Target`, for suggestions.
    package static let names: [String] = allCases.map(\.rawValue)
    /// The clauses that `Except` has too.
    package static let clauses: [String] = [users, groups, hosts, tags].map(\.rawValue)
}

/// One item of a schedule.
package enum ScheduleItem: Hashable, Sendable {
    /// A window in the schedule itself.
    case window(Window)
    /// The windows of a calendar, given by its name.
    case calendar(Key, position: Position)
}

/// The ids of the user and group names that targets use.
package struct AccountIDs: Hashable, Sendable {
    /// The id of a name, as far as known.
    package enum State: Hashable, Sendable {
        case id(UInt32)
        /// A directory gives the name another id than before: what restricts applies to both, what frees to neither.
        case changing(UInt32, UInt32)
        /// No account has the name: it matches no user.
        case unknown

        /// The state of a name that has at most two ids.
        package init(_ ids: [UInt32]) {
            switch ids.count {
            case 0: self = .unknown
            case 1: self = .id(ids[0])
            default: self = .changing(ids[0], ids[1])
            }
        }

        /// The ids that a restriction applies to.
        package var ids: [UInt32] {
            switch self {
            case .id(let id): [id]
            case .changing(let old, let new): [old, new]
            case .unknown: []
            }
        }

        /// The id that an exception, a waiver or a grant applies to; `nil` for none.
        package var freedID: UInt32? {
            if case .id(let id) = self { id } else { nil }
        }

        /// Whether the name gets another id.
        package var isChanging: Bool {
            if case .changing = self { true } else { false }
        }

        /// The state of a name that frees.
        package var freeing: State { freedID.map { .id($0) } ?? .unknown }
    }

    /// The ids by user name.
    package var users: [Key: State]
    /// The ids by group name.
    package var groups: [Key: State]

    package init(users: [Key: State] = [:], groups: [Key: State] = [:]) {
        self.users = users
        self.groups = groups
    }

    /// The ids as they are for what frees.
    package var freeing: AccountIDs {
        AccountIDs(users: users.mapValues(\.freeing), groups: groups.mapValues(\.freeing))
    }

    /// The id of a user name.
    package func user(_ name: Key) -> State { users[name] ?? .unknown }

    /// The id of a group name.
    package func group(_ name: Key) -> State { groups[name] ?? .unknown }

    /// The names without an id, for people: `user anna`, `group lab`.
    package var unknown: [String] {
        [("user", users), ("group", groups)].flatMap { kind, states in
            states.filter { $0.value == .unknown }.keys.sorted().map { "\(kind) \(Printable.escape($0.string))" }
        }
    }
}
