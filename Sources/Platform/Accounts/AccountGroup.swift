/// A group as the machine's group list has it.
package struct AccountGroup: Hashable, Sendable {
    /// The name of the group.
    package let name: String
    /// The group id.
    package let gid: UInt32
    /// The names of the users who are in it beside those whose primary group it is.
    package let members: [String]

    /// Describes a group.
    package init(name: String, gid: UInt32, members: [String]) {
        self.name = name
        self.gid = gid
        self.members = members
    }
}
