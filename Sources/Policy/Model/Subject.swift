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
    /// The ids of all groups, where they were known from the start.
    private var givenGroups: [UInt32]
    /// The names of these groups where they are known.
    private let givenGroupNames: [String]
    /// Whom to ask for the groups instead, where they were not known from the start.
    private var question: GroupQuestion?
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
    /// Whether name and home are known; of a user whom only a directory service knows they are not, as no program asks it.
    package var isNameKnown: Bool
    /// Whether the tags could be read; where they could not, tags count as matching, and as not excepted.
    package var areTagsKnown: Bool
    /// Whether the host's name is known; where it is not, hosts count as matching, and as not excepted.
    package var isHostKnown: Bool
    /// The most names of a list in the reasons why files do not apply; `nil` for all of them.
    package var longestList: Int?

    /// Makes a subject.
    ///
    /// Where there is a `question`, its answer stands for `groups` and `groupNames`.
    package init(
        userName: String, uid: UInt32, gid: UInt32, groups: [UInt32], groupNames: [String] = [],
        question: GroupQuestion? = nil, home: String, host: HostName, tags: Set<Key> = [], moment: Moment,
        isNameKnown: Bool = true, isIdentityKnown: Bool = true, areTagsKnown: Bool = true, isHostKnown: Bool = true
    ) {
        self.userName = userName
        self.uid = uid
        self.gid = gid
        givenGroups = groups
        givenGroupNames = groupNames
        self.question = question
        self.home = home
        self.host = host
        self.tags = tags
        self.moment = moment
        self.isNameKnown = isNameKnown
        self.isIdentityKnown = isIdentityKnown
        self.areTagsKnown = areTagsKnown
        self.isHostKnown = isHostKnown
    }

    /// The ids of all groups, as the kernel has them, or as far as somebody could tell.
    ///
    /// May ask a directory service, so only where a target names groups.
    package var groups: [UInt32] {
        get { question?.answer.ids ?? givenGroups }
        set { (givenGroups, question) = (newValue, nil) }
    }

    /// Whether ``groups`` are all; where they are not, groups count as matching, and as not excepted.
    package var areGroupsKnown: Bool { question?.answer.isComplete ?? true }

    /// The names of the groups where they are known; only for messages.
    package var groupNames: [String] { question?.names ?? givenGroupNames }
}
