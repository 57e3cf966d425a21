/// Users with all of their groups, as lists of users and groups have them.
package struct AccountCensus: Sendable {
    /// The users.
    private let accounts: [Account]
    /// The ids of the groups that list each user, by the bytes of the name.
    private let memberships: [[UInt8]: [UInt32]]
    /// The indices of the users of each group, in their order.
    private let members: [UInt32: [Int]]

    /// Brings users and groups together; a group that stands in several lines has the members of all of them.
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

    /// Whether somebody meets a condition.
    ///
    /// - Parameters:
    ///   - groups: only who is in one of these is asked about; `nil` is everybody.
    ///   - condition: is given a user, and the ids of all groups of that user, the primary one first.
    /// - Returns: whether it held for somebody.
    package func hasSomebody(in groups: [UInt32]?, where condition: (Account, [UInt32]) -> Bool) -> Bool {
        /// Whether the user at an index meets the condition.
        func meets(_ index: Int) -> Bool {
            let account = accounts[index]
            return condition(account, [account.gid] + (memberships[Array(account.name.utf8)] ?? []))
        }
        guard let groups else { return accounts.indices.contains(where: meets) }
        return groups.contains { (members[$0] ?? []).contains(where: meets) }
    }
}
