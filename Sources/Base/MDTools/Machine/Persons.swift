package import MDPlatform

/// Who is responsible for the processes of a uid, by nothing that a process can choose: a login uid counts for nothing,
/// because a process whose own is unset may write any number into it.
package struct Persons: Sendable {
    /// The directory of the login manager that has a file for each user with a session.
    package static let sessions = "/run/systemd/users"

    /// The root of the machine.
    private let root: Root
    /// The users in the machine's own files.
    package let accounts: AccountDatabase
    /// The uids that users may hand out in user namespaces.
    private let subordinates: SubordinateIDs

    /// Reads the subordinate uids of a machine.
    package init(root: Root, accounts: AccountDatabase) {
        (self.root, self.accounts) = (root, accounts)
        subordinates = SubordinateIDs(root: root, accounts: accounts)
    }

    /// The person of a uid: the user of an account, or with a session; for a subordinate uid, its owner.
    ///
    /// - Returns: `nil` for an id that is no person's, as far as is known.
    package func person(of uid: UInt32) -> UInt32? {
        // A uid that an account has is that account's, whatever somebody was given.
        if accounts.account(uid: uid) != nil || (uid == root.owner && !root.isSystem) { return uid }
        if let owner = subordinates.owner(of: uid) { return owner }
        // A user of a directory has a file of the login manager, which only root makes.
        return root.mayExist("\(Persons.sessions)/\(uid)") ? uid : nil
    }
}
