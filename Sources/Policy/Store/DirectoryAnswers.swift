import Platform
import PropertyList

/// What the directory service said in one piece of work, so that each name is asked about once, and a service that does
/// not answer is soon asked no more.
final class DirectoryAnswers: Sendable {
    /// A question.
    struct Question: Hashable {
        /// Whether it is about a group.
        let isGroup: Bool
        /// The name.
        let name: Key
    }

    /// The time after which a service that leaves questions open is given up, in microseconds: eight questions, since
    /// each waits for 250 ms.
    private let patience: Int64

    /// How long answers hold, in microseconds: longer than any piece of work that asks.
    private static let validity: Int64 = 30_000_000

    /// The answers, the time that questions without one have taken, and when the first one was asked.
    private let state = Guarded<(answers: [Question: NameResolver.Answer], lost: Int64, began: Int64)>(([:], 0, 0))

    /// Makes a memory of nothing.
    init(patience: Int64 = 2_000_000) {
        self.patience = patience
    }

    /// The answer to a question.
    ///
    /// - Parameters:
    ///   - question: what is asked.
    ///   - ask: asks the service; `nil` for a name that does not exist.
    /// - Returns: what it said, now or before.
    func answer(_ question: Question, _ ask: () throws(SystemError) -> UInt32?) -> NameResolver.Answer {
        let start = Clock.monotonicMicroseconds()
        let (known, lost) = state.withLock { state in
            if start - state.began > DirectoryAnswers.validity { state = ([:], 0, start) }
            return (state.answers[question], state.lost)
        }
        if let known { return known }
        guard lost < patience else { return .unavailable }
        let answer: NameResolver.Answer
        do throws(SystemError) {
            answer = try ask().map { .id($0) } ?? .missing
        } catch {
            // A question that fails is not a denial.
            answer = .unavailable
        }
        state.withLock { state in
            state.answers[question] = answer
            if answer == .unavailable { state.lost += Clock.monotonicMicroseconds() - start }
        }
        return answer
    }
}
