package import PropertyList

/// The ids of the user and group names that targets use.
package struct NameTable: Hashable, Sendable {
    /// What is known of a name.
    package enum State: Hashable, Sendable {
        /// It has this id.
        case id(UInt32)
        /// It was found nowhere: it matches no user.
        case unknown
    }

    /// What is known of user names.
    package var users: [Key: State]
    /// What is known of group names.
    package var groups: [Key: State]

    /// Makes a table.
    package init(users: [Key: State] = [:], groups: [Key: State] = [:]) {
        self.users = users
        self.groups = groups
    }

    /// What is known of a user name.
    package func user(_ name: Key) -> State { users[name] ?? .unknown }

    /// What is known of a group name.
    package func group(_ name: Key) -> State { groups[name] ?? .unknown }
}
