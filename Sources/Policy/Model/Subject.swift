package import Platform
package import PropertyList

/// For whom, on which host and when policy is resolved.
package struct Subject: Sendable {
    /// The user's name, for `${user}` and for messages; never what a target is compared with.
    package var userName: String
    /// The user's id.
    package var uid: UInt32
    /// The primary group's id.
    package var gid: UInt32
    /// The ids of all groups, as the kernel has them.
    package var groups: [UInt32]
    /// The names of the groups where they are known; only for messages.
    package var groupNames: [String]
    /// The home directory, for `${home}`.
    package var home: String
    /// The names of the host; `localhost` where they are not known.
    package var host: HostName
    /// The words of the machine's tags file.
    package var tags: Set<Key>
    /// When.
    package var moment: Moment
    /// Whether uid and groups say who this is.
    ///
    /// In a user namespace without the daemon they do not; users and groups then count as matching, and as not excepted.
    package var isIdentityKnown: Bool
    /// Whether the tags could be read; where they could not, tags count as matching, and as not excepted.
    package var areTagsKnown: Bool
    /// Whether the host's name is known; where it is not, hosts count as matching, and as not excepted.
    package var isHostKnown: Bool
    /// The most names of a list in the reasons why files do not apply; `nil` for all of them.
    package var longestList: Int?

    /// Makes a subject.
    package init(
        userName: String, uid: UInt32, gid: UInt32, groups: [UInt32], groupNames: [String] = [], home: String,
        host: HostName, tags: Set<Key> = [], moment: Moment, isIdentityKnown: Bool = true, areTagsKnown: Bool = true,
        isHostKnown: Bool = true
    ) {
        self.userName = userName
        self.uid = uid
        self.gid = gid
        self.groups = groups
        self.groupNames = groupNames
        self.home = home
        self.host = host
        self.tags = tags
        self.moment = moment
        self.isIdentityKnown = isIdentityKnown
        self.areTagsKnown = areTagsKnown
        self.isHostKnown = isHostKnown
    }
}
