import Policy
import PropertyList

/// Users for whom the same entries of the same files are forced; only the values of variables may differ.
struct UserGroup {
    /// What makes a forced key the same for two users: the entry that forces it.
    struct Identity: Hashable {
        /// The domain.
        let domain: Key
        /// The key.
        let key: Key
        /// Where the entry stands.
        let origin: Origin
        /// Whether only a last good copy has it.
        let isLastGood: Bool

        /// Identifies an entry.
        init(_ entry: ResolvedEntry) {
            domain = entry.domain
            key = entry.key
            origin = entry.origin
            isLastGood = entry.isLastGood
        }
    }

    /// The users, in the order of the user database; never empty.
    private(set) var users: [UserCompliance]

    /// The forced keys of the group's first user.
    var keys: [KeyCompliance] { users.first?.keys ?? [] }

    /// Puts users of the same entries together, in the order in which the first of each group comes.
    ///
    /// Complexity: O(users × keys).
    static func groups(of users: [UserCompliance]) -> [UserGroup] {
        var groups: [UserGroup] = []
        var places: [[Identity]: Int] = [:]
        for user in users {
            let identity = user.keys.map { Identity($0.entry) }
            if let place = places[identity] {
                groups[place].users.append(user)
            } else {
                places[identity] = groups.count
                groups.append(UserGroup(users: [user]))
            }
        }
        return groups
    }

    /// Whether an entry stands before another in a report: by domain and key in byte order.
    static func precedes(_ left: Identity, _ right: Identity) -> Bool {
        left.domain == right.domain ? left.key < right.key : left.domain < right.domain
    }
}
