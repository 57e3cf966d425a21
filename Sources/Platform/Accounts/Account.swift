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
    /// Whether only a directory service knows the user, whom no application asks: to their own programs name and home are
    /// not known.
    package var isOfDirectory = false

    /// Whether somebody asked for the user by name in a user namespace whose own ids are not those of the user database, so
    /// that an equal id does not make the user the caller.
    package var isNamed = false

    /// Whether the id is the user's own; it stands for one that nobody knows where facts of another host lack it.
    package var isIDKnown = true
    /// Whether the home directory is the user's own; it stands for one that nobody knows where facts of another host lack it.
    package var isHomeKnown = true

    /// Describes a user.
    package init(name: String, uid: UInt32, gid: UInt32, fullName: String, home: String) {
        self.name = name
        self.uid = uid
        self.gid = gid
        self.fullName = fullName
        self.home = home
    }
}
