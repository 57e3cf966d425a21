package import MDPlatform
package import MDPropertyList

/// The user, host and time for which policy is resolved.
package struct Subject: Sendable {
    /// The user's name, for `${user}` and for messages; targets are never compared with it.
    package let userName: String
    /// The user's id, as the kernel has it.
    package let uid: UInt32
    /// The primary group's id, as the kernel has it.
    package let gid: UInt32
    /// The ids of all groups, if they were known from the start.
    private let givenGroups: [UInt32]
    /// The names of these groups, if known.
    private let givenGroupNames: [String]
    /// The lookup of the groups, if they were not known from the start.
    private let question: GroupLookup?
    /// The home directory, for `${home}`.
    package let home: String
    /// The facts about the user that are unknown.
    package var unknown: Unknown
    /// The names of the host.
    package var host: HostName
    /// The words of the machine's tags file.
    package var tags: Set<Key>
    package var moment: Moment
    /// The most names of a list in the reasons why files do not apply; `nil` for all of them.
    package var longestList: Int?

    /// Makes a subject.
    ///
    /// The answer of a `question` replaces `groups` and `groupNames`.
    package init(
        userName: String, uid: UInt32, gid: UInt32, groups: [UInt32], groupNames: [String] = [],
        question: GroupLookup? = nil, home: String, host: HostName, tags: Set<Key> = [], moment: Moment,
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

    /// The ids of all groups, from the kernel or, as far as it answered, the account service.
    ///
    /// May query the account service, so read it only if a target names groups.
    package var groups: [UInt32] { question?.answer.ids ?? givenGroups }

    /// Whether ``groups`` is complete; if not, a clause of groups counts as matching, and an exception as not matching.
    package var areGroupsKnown: Bool { question?.answer.isComplete ?? true }

    /// The names of the groups, as far as known; only for messages.
    package var groupNames: [String] { question?.names ?? givenGroupNames }
}

extension Subject {
    /// The same subject with the variables of values left as they are written, so that what two users get compares equal
    /// where only their names differ.
    package var withVariables: Subject {
        var subject = Subject(
            userName: "${user}", uid: uid, gid: gid, groups: givenGroups, groupNames: givenGroupNames,
            question: question, home: "${home}", host: host, tags: tags, moment: moment,
            unknown: unknown.subtracting([.name, .home]))
        subject.longestList = longestList
        return subject
    }

    /// Facts about a user that are unknown.
    package struct Unknown: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Joins facts; the standard library's own way makes generic types, which costs a short program more than a query.
        package init(arrayLiteral facts: Unknown...) {
            self.init(rawValue: facts.reduce(0) { $0 | $1.rawValue })
        }

        /// The user's identity, in a user namespace that maps no root: no id is meaningful there.
        package static let identity = Unknown(rawValue: 1)
        /// The name of a user that only an account service knows, which programs do not query.
        package static let name = Unknown(rawValue: 2)
        /// The id of a user of another machine.
        package static let id = Unknown(rawValue: 4)
        /// The home directory.
        package static let home = Unknown(rawValue: 8)
    }
}

/// A lookup of a user's groups, done once and only if a target names groups.
package final class GroupLookup: Sendable {
    /// The groups of a user, as far as known.
    package struct Answer: Sendable {
        package let ids: [UInt32]
        /// Whether the list is complete.
        package let isComplete: Bool

        package init(ids: [UInt32], isComplete: Bool) {
            self.ids = ids
            self.isComplete = isComplete
        }
    }

    /// Looks up the groups.
    private let ask: @Sendable () -> Answer
    /// Looks up the names of groups, for messages.
    private let name: @Sendable ([UInt32]) -> [String]
    /// The results so far.
    private let known = Guarded<(answer: Answer?, names: [String]?)>((nil, nil))

    /// Makes a lookup that has not run.
    ///
    /// - Parameters:
    ///   - ask: looks up the groups; called once.
    ///   - name: looks up the names of groups, for messages; called once.
    package init(ask: @escaping @Sendable () -> Answer, name: @escaping @Sendable ([UInt32]) -> [String]) {
        self.ask = ask
        self.name = name
    }

    package var answer: Answer {
        known.withLock { known in
            let answer = known.answer ?? ask()
            known.answer = answer
            return answer
        }
    }

    /// The names of the groups, without groups that have none.
    package var names: [String] {
        let ids = answer.ids
        return known.withLock { known in
            let names = known.names ?? name(ids)
            known.names = names
            return names
        }
    }
}
