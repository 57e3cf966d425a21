import MDAuditClient
import MDPlatform

/// A function that is called after a new problem, until the reader is removed.
package final class ProblemReader: Sendable {
    /// The function, which only wakes a task, because the lock of the files may be held.
    fileprivate let wake: @Sendable () -> Void

    /// Makes a reader.
    package init(_ wake: @escaping @Sendable () -> Void) {
        self.wake = wake
    }
}

extension DefaultsStore {
    /// Remembers what went wrong, once in a row.
    func note(_ message: String, _ kind: DefaultsProblem.Kind = .preferences) {
        note(DefaultsProblem(kind, message))
    }

    /// Remembers what went wrong, once in a row.
    func note(_ problem: DefaultsProblem) {
        state.withLock { $0.note(problem) }
        wakeProblemReaders()
    }

    /// Calls the readers of problems.
    func wakeProblemReaders() {
        for reader in problemReaders.withLock({ Array($0.values) }) { reader.wake() }
    }

    /// Calls a reader after each new problem.
    func add(_ reader: ProblemReader) {
        problemReaders.withLock { $0[ObjectIdentifier(reader)] = reader }
        channel?.onProblem { [weak self] in self?.wakeProblemReaders() }
    }

    /// Ends the calls of a reader.
    func remove(_ reader: ProblemReader) {
        problemReaders.withLock { $0[ObjectIdentifier(reader)] = nil }
    }

    /// Hands over what went wrong since the last call.
    ///
    /// - Parameter limit: the most problems that are handed over.
    /// - Returns: the problems, oldest first.
    package func takeProblems(_ limit: Int = .max) -> [DefaultsProblem] {
        for problem in channel?.takeProblems() ?? [] { state.withLock { $0.note(DefaultsProblem(.audit, problem)) } }
        return state.withLock { state in
            let taken = Array(state.problems.prefix(limit))
            state.problems.removeFirst(taken.count)
            return taken
        }
    }
}

extension DefaultsStore.State {
    /// The most problems that are kept until the next ``DefaultsStore/takeProblems(_:)``.
    private static let problemLimit = 100

    /// Remembers what went wrong, once.
    mutating func note(_ problem: DefaultsProblem) {
        guard !problems.contains(problem) else { return }
        if problems.count < DefaultsStore.State.problemLimit { problems.append(problem) }
    }
}
