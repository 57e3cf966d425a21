package import MDPlatform
package import MDPropertyList

/// The answers of the name service during one operation: each question is asked once.
///
/// After too many questions without an answer the service is not asked any more, because a report covers many users and
/// each question waits for 250 ms.
package final class NameServiceCache: Sendable {
    /// A question to the name service.
    package enum Question: Hashable, Sendable {
        /// The user of a name.
        case user(Key)
        /// The id of a group.
        case group(Key)
        /// The name of a group.
        case groupName(UInt32)
        /// The groups of the user with a name.
        case groups(of: Key)
    }

    /// The reply to a question.
    package enum Answer<Value: Sendable>: Sendable {
        /// The service answered.
        case known(Value)
        /// The service did not answer, so nothing is known.
        case unavailable

        /// The value; `nil` without an answer.
        package var value: Value? {
            if case .known(let value) = self { value } else { nil }
        }

        /// The answer with its value replaced.
        package func map<Other: Sendable>(_ transform: (Value) -> Other) -> Answer<Other> {
            if case .known(let value) = self { .known(transform(value)) } else { .unavailable }
        }
    }

    /// What is remembered.
    private struct State {
        /// The answers.
        var answers: [Question: any Sendable] = [:]
        /// The time spent on questions without an answer, in microseconds.
        var lost: Int64 = 0
        /// The time of the first question, in microseconds.
        var began: Int64
        /// Why the last unanswered question has no answer.
        var failure: SystemError?

        /// Forgets answers that are too old.
        mutating func renew(_ now: Int64) {
            if now - began > NameServiceCache.validity { self = State(began: now) }
        }
    }

    /// The total time of unanswered questions after which the service is not asked again, in microseconds.
    private let timeout: Int64
    /// How long answers hold, in microseconds: longer than any operation that asks.
    private static let validity: Int64 = 30_000_000
    /// What is remembered.
    private let state = Guarded(State(began: 0))

    /// Makes an empty cache.
    ///
    /// - Parameter timeout: the total time of unanswered questions, in microseconds: by default that of eight.
    package init(timeout: Int64 = 2_000_000) {
        self.timeout = timeout
    }

    /// Returns the answer to a question, from memory if it was asked before.
    ///
    /// - Parameters:
    ///   - question: the question; the same one always has the same type of value.
    ///   - ask: asks the service.
    /// - Returns: the answer.
    package func answer<Value: Sendable>(
        _ question: Question, _ ask: () throws(SystemError) -> Value
    ) -> Answer<Value> {
        let start = Clock.monotonicMicroseconds()
        let (known, lost) = state.withLock { state in
            state.renew(start)
            return (state.answers[question], state.lost)
        }
        if let known = known as? Answer<Value> { return known }
        guard lost < timeout else { return .unavailable }
        let answer: Answer<Value>
        var failure: SystemError?
        do throws(SystemError) {
            answer = .known(try ask())
        } catch {
            // A failed question does not mean that the name is missing.
            answer = .unavailable
            failure = error
        }
        state.withLock { state in
            state.answers[question] = answer
            guard let failure else { return }
            state.lost += Clock.monotonicMicroseconds() - start
            state.failure = failure
        }
        return answer
    }

    /// Takes the answer to a question that was asked together with others.
    package func remember<Value: Sendable>(_ answer: Result<Value, SystemError>, to question: Question) {
        state.withLock { state in
            state.renew(Clock.monotonicMicroseconds())
            switch answer {
            case .success(let value): state.answers[question] = Answer.known(value)
            case .failure(let error):
                state.answers[question] = Answer<Value>.unavailable
                state.failure = error
            }
        }
    }

    /// Whether a question was asked.
    package func hasAsked(_ question: Question) -> Bool { state.withLock { $0.answers[question] != nil } }

    /// The answer to a question that was asked before; `nil` if it was not, or has none.
    package func known<Value: Sendable>(_ question: Question, as type: Value.Type) -> Value? {
        state.withLock { ($0.answers[question] as? Answer<Value>)?.value }
    }

    /// Why the last unanswered question has no answer; `nil` if every question has one.
    package var failure: SystemError? { state.withLock { $0.failure } }
}
