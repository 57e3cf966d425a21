/// A user as the machine's user list has them.
package struct Account: Hashable, Sendable {
    /// The name they log in with.
    package let name: String
    /// The user id.
    package let uid: UInt32
    /// The id of the primary group.
    package let gid: UInt32
    /// The name of the person: the comment field up to its first comma.
    package let fullName: String
    /// The home directory, as a path beneath the root.
    package let home: String
    /// Whether only a name service, and not the machine's files, has the user.
    ///
    /// The user's own programs do not ask it: name and home are those of ``PeopleRegister``, else unknown to them.
    package var isFromNameService = false
    /// The name service that has the user; `nil` if unknown.
    package var service: String?

    /// Whether the caller named the user in a user namespace whose ids are not those of the account database, so that
    /// an equal uid does not make the user the caller.
    package var isNamed = false

    /// Whether `uid` is the user's own; false if facts of another host lack it, when it is a placeholder.
    package var isIDKnown = true
    /// Whether `home` is the user's own; false if facts of another host lack it, when it is a placeholder.
    package var isHomeKnown = true

    /// Describes a user.
    package init(name: String, uid: UInt32, gid: UInt32, fullName: String, home: String) {
        self.name = name
        self.uid = uid
        self.gid = gid
        self.fullName = fullName
        self.home = home
    }

    /// Describes a user whom only a name service has; with an empty home, name and home are unknown.
    package init(inDirectory name: String, uid: UInt32, gid: UInt32, home: String) {
        self.init(name: name, uid: uid, gid: gid, fullName: "", home: home)
        isFromNameService = true
    }
}

/// A group as the machine's group list has it.
package struct AccountGroup: Hashable, Sendable {
    /// The name of the group.
    package let name: String
    /// The group id.
    package let gid: UInt32
    /// The names of the members, besides the users whose primary group it is.
    package let members: [String]

    /// Describes a group.
    package init(name: String, gid: UInt32, members: [String]) {
        self.name = name
        self.gid = gid
        self.members = members
    }
}

/// Users with all of their groups, as lists of users and groups have them.
package struct AccountIndex: Sendable {
    /// The users.
    private let accounts: [Account]
    /// The ids of the groups that list each user, by the bytes of the name.
    private let memberships: [[UInt8]: [UInt32]]
    /// The indices of the users of each group, in their order.
    private let members: [UInt32: [Int]]

    /// Indexes users and groups; a group of several lines has the members of all of them.
    ///
    /// Complexity: O(users + members of all groups).
    package init(accounts: [Account], groups: [AccountGroup]) {
        self.accounts = accounts
        var memberships: [[UInt8]: [UInt32]] = [:]
        for group in groups {
            for member in group.members { memberships[Array(member.utf8), default: []].append(group.gid) }
        }
        self.memberships = memberships
        var members: [UInt32: [Int]] = [:]
        for (index, account) in accounts.enumerated() {
            for gid in Set(memberships[Array(account.name.utf8)] ?? []).union([account.gid]) {
                members[gid, default: []].append(index)
            }
        }
        self.members = members
    }

    /// Whether a user satisfies a condition.
    ///
    /// - Parameters:
    ///   - groups: only members of one of these are tested; `nil` for all users.
    ///   - condition: called with a user, and the ids of all groups of that user, the primary one first.
    /// - Returns: whether it held for a user.
    package func containsUser(in groups: [UInt32]?, where condition: (Account, [UInt32]) -> Bool) -> Bool {
        /// Whether the user at an index meets the condition.
        func meets(_ index: Int) -> Bool {
            let account = accounts[index]
            return condition(account, [account.gid] + (memberships[Array(account.name.utf8)] ?? []))
        }
        guard let groups else { return accounts.indices.contains(where: meets) }
        return groups.contains { (members[$0] ?? []).contains(where: meets) }
    }
}
