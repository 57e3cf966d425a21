package import Platform

/// Who somebody in a user namespace is outside of it, asked for when policy depends on it, and only then.
package final class IdentityQuestion: Sendable {
    /// What is known of somebody.
    package struct Answer: Sendable {
        /// The user's id.
        package let uid: UInt32
        /// The primary group's id.
        package let gid: UInt32
        /// The ids of the groups, and whether these are all.
        package let groups: GroupQuestion.Answer
        /// The names of the groups, without those that have none.
        package let groupNames: [String]
        /// The entry of the user database; `nil` where it has none, or cannot be trusted.
        package let account: Account?

        /// Makes an answer.
        package init(
            uid: UInt32, gid: UInt32, groups: GroupQuestion.Answer, groupNames: [String] = [], account: Account?
        ) {
            self.uid = uid
            self.gid = gid
            self.groups = groups
            self.groupNames = groupNames
            self.account = account
        }
    }

    /// Asks who it is.
    private let ask: @Sendable () -> Answer?
    /// What was said so far.
    private let known = Guarded<Answer??>(nil)

    /// Makes a question that nobody has asked yet.
    ///
    /// - Parameter ask: asks who it is; called once.
    package init(ask: @escaping @Sendable () -> Answer?) {
        self.ask = ask
    }

    /// Who it is; `nil` where nobody can tell.
    package var answer: Answer? {
        known.withLock { known in
            if let known { return known }
            let answer = ask()
            known = .some(answer)
            return answer
        }
    }
}
