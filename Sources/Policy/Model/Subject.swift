package import Platform
package import PropertyList

/// For whom, on which host and when policy is resolved.
package struct Subject: Sendable {
    /// The user's name, for `${user}` and for messages; never what a target is compared with.
    package let userName: String
    /// The user's id, as the kernel has it.
    package let uid: UInt32
    /// The primary group's id, as the kernel has it.
    package let gid: UInt32
    /// The ids of all groups, where they were known from the start.
    private let givenGroups: [UInt32]
    /// The names of these groups where they are known.
    private let givenGroupNames: [String]
    /// Whom to ask for the groups instead, where they were not known from the start.
    private let question: GroupQuestion?
    /// The home directory, for `${home}`.
    package let home: String
    /// What of the user is unknown.
    package var unknown: Unknown
    /// The names of the host.
    package var host: HostName
    /// The words of the machine's tags file.
    package var tags: Set<Key>
    /// When.
    package var moment: Moment
    /// The most names of a list in the reasons why files do not apply; `nil` for all of them.
    package var longestList: Int?

    /// Makes a subject.
    ///
    /// With a `question`, its answer replaces `groups` and `groupNames`.
    package init(
        userName: String, uid: UInt32, gid: UInt32, groups: [UInt32], groupNames: [String] = [],
        question: GroupQuestion? = nil, home: String, host: HostName, tags: Set<Key> = [], moment: Moment,
        unknown: Unknown = []
    ) {
        (self.userName, self.uid, self.gid, self.home) = (userName, uid, gid, home)
        givenGroups = groups
        givenGroupNames = groupNames
        self.question = question
        self.host = host
        self.tags = tags
        self.moment = moment
        self.unknown = unknown
    }

    /// The ids of all groups, as the kernel has them, or as far as the directory service said.
    ///
    /// May ask a directory service, so only if a target names groups.
    package var groups: [UInt32] { question?.answer.ids ?? givenGroups }

    /// Whether ``groups`` are all; if they are not, groups count as matching, and as not excepted.
    package var areGroupsKnown: Bool { question?.answer.isComplete ?? true }

    /// The names of the groups, as far as they are known; only for messages.
    package var groupNames: [String] { question?.names ?? givenGroupNames }
}

extension Subject {
    /// Facts about a user that are unknown.
    package struct Unknown: OptionSet, Hashable, Sendable {
        /// The bits.
        package let rawValue: UInt8

        /// Makes a set of its bits.
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Who the user is, as in a user namespace of somebody else than root: no id says anything then.
        package static let identity = Unknown(rawValue: 1)
        /// The name of a user whom only a directory service knows, which programs do not ask.
        package static let name = Unknown(rawValue: 2)
        /// The id of a user of another machine.
        package static let id = Unknown(rawValue: 4)
        /// The home.
        package static let home = Unknown(rawValue: 8)
    }
}
