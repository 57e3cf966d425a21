package import Platform
package import PropertyList

/// For whom, on which host and when policy is resolved.
package struct Subject: Sendable {
    /// The user's name, as far as it was known from the start.
    private let givenUserName: String
    /// The user's id, as the kernel tells it.
    private let givenUID: UInt32
    /// The primary group's id, as the kernel tells it.
    private let givenGID: UInt32
    /// The ids of all groups, where they were known from the start.
    private let givenGroups: [UInt32]
    /// The names of these groups where they are known.
    private let givenGroupNames: [String]
    /// Whom to ask for the groups instead, where they were not known from the start.
    private let question: GroupQuestion?
    /// Whom to ask for all of it instead, in a user namespace.
    private let identity: IdentityQuestion?
    /// The home directory, as far as it was known from the start.
    private let givenHome: String
    /// Whether uid and groups say who this is, where nobody is asked.
    private let givesIdentity: Bool
    /// Whether name and home are known, where nobody is asked.
    private let givesName: Bool
    /// The names of the host; `localhost` where they are not known.
    package var host: HostName
    /// The words of the machine's tags file.
    package var tags: Set<Key>
    /// When.
    package var moment: Moment
    /// Whether the tags could be read; where they could not, tags count as matching, and as not excepted.
    package var areTagsKnown: Bool
    /// Whether the host's name is known; where it is not, hosts count as matching, and as not excepted.
    package var isHostKnown: Bool
    /// Whether the user's id is known, where somebody else's machine is asked about.
    package var isIDKnown = true
    /// Whether the user's home is known, where somebody else's machine is asked about.
    package var isHomeKnown = true
    /// The most names of a list in the reasons why files do not apply; `nil` for all of them.
    package var longestList: Int?

    /// Makes a subject.
    ///
    /// Where there is a `question`, its answer stands for `groups` and `groupNames`; that of an `identity` stands for
    /// everything that tells who it is.
    package init(
        userName: String, uid: UInt32, gid: UInt32, groups: [UInt32], groupNames: [String] = [],
        question: GroupQuestion? = nil, identity: IdentityQuestion? = nil, home: String, host: HostName,
        tags: Set<Key> = [], moment: Moment,
        isNameKnown: Bool = true, isIdentityKnown: Bool = true, areTagsKnown: Bool = true, isHostKnown: Bool = true
    ) {
        givenUserName = userName
        givenUID = uid
        givenGID = gid
        givenGroups = groups
        givenGroupNames = groupNames
        self.question = question
        self.identity = identity
        givenHome = home
        self.host = host
        self.tags = tags
        self.moment = moment
        givesName = isNameKnown
        givesIdentity = isIdentityKnown
        self.areTagsKnown = areTagsKnown
        self.isHostKnown = isHostKnown
    }

    /// The user's name, for `${user}` and for messages; never what a target is compared with.
    package var userName: String { identity?.answer?.account?.name ?? givenUserName }
    /// The user's id.
    package var uid: UInt32 { identity?.answer?.uid ?? givenUID }
    /// The primary group's id.
    package var gid: UInt32 { identity?.answer?.gid ?? givenGID }
    /// The home directory, for `${home}`.
    package var home: String { identity?.answer?.account?.home ?? givenHome }

    /// Whether uid and groups say who this is.
    ///
    /// In a user namespace they do not where nobody can be asked; users and groups then count as matching, and as not excepted.
    package var isIdentityKnown: Bool { identity.map { $0.answer != nil } ?? givesIdentity }

    /// Whether this may be somebody who hides who he is, as anybody can in a user namespace.
    package var mayHide: Bool { identity != nil || !givesIdentity }

    /// Whether name and home are known; of a user whom only a directory service knows they are not, as no program asks it.
    package var isNameKnown: Bool { identity.map { $0.answer?.account != nil } ?? givesName }

    /// The ids of all groups, as the kernel has them, or as far as somebody could tell.
    ///
    /// May ask a directory service, so only where a target names groups.
    package var groups: [UInt32] { identity?.answer?.groups.ids ?? question?.answer.ids ?? givenGroups }

    /// Whether ``groups`` are all; where they are not, groups count as matching, and as not excepted.
    package var areGroupsKnown: Bool {
        identity?.answer?.groups.isComplete ?? question?.answer.isComplete ?? true
    }

    /// The names of the groups where they are known; only for messages.
    package var groupNames: [String] { identity?.answer?.groupNames ?? question?.names ?? givenGroupNames }
}
