import Platform

/// The groups of somebody of whom the kernel does not tell them, asked for when a target names groups, and only then.
package final class GroupQuestion: Sendable {
    /// What is known of somebody's groups.
    package struct Answer: Sendable {
        /// The ids of the groups.
        package let ids: [UInt32]
        /// Whether these are all.
        package let isComplete: Bool

        /// Makes an answer.
        package init(ids: [UInt32], isComplete: Bool) {
            self.ids = ids
            self.isComplete = isComplete
        }
    }

    /// Asks for the groups.
    private let ask: @Sendable () -> Answer
    /// Asks for the names of groups, for messages.
    private let name: @Sendable ([UInt32]) -> [String]
    /// What was said so far.
    private let known = Guarded<(answer: Answer?, names: [String]?)>((nil, nil))

    /// Makes a question that nobody has asked yet.
    ///
    /// - Parameters:
    ///   - ask: asks for the groups; called once.
    ///   - name: asks for the names of groups, for messages; called once.
    package init(ask: @escaping @Sendable () -> Answer, name: @escaping @Sendable ([UInt32]) -> [String]) {
        self.ask = ask
        self.name = name
    }

    /// The groups.
    package var answer: Answer {
        known.withLock { known in
            let answer = known.answer ?? ask()
            known.answer = answer
            return answer
        }
    }

    /// The names of the groups, without those that have none.
    package var names: [String] {
        let ids = answer.ids
        return known.withLock { known in
            let names = known.names ?? name(ids)
            known.names = names
            return names
        }
    }
}
