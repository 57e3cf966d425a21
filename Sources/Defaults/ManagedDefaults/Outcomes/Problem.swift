import MDEngine
import MDPlatform
import MDPropertyList

extension ManagedDefaults {
    /// Something that went wrong outside of a call that could have returned it: a file that could not be read or saved, an
    /// attempt that could not be recorded, a stored value that could not be used.
    ///
    /// Each has a sentence for a log or an administrator, which is its description.
    public enum Problem: Sendable, Hashable, CustomStringConvertible {
        /// A preference file that could not be read or saved, or was damaged and set aside.
        case preferences(String)
        /// Policy that could not be read: the last known policy stays in force, or policy is unknown.
        case policy(String)
        /// A value to be set once that could not be stored.
        case setOnce(String)
        /// An audit record that could not be written.
        case audit(String)
        /// The stored value of this key, which is of another type than the setting: the default is used.
        case value(key: String, String)

        /// A sentence for a log or an administrator.
        public var description: String {
            switch self {
            case .preferences(let sentence), .policy(let sentence), .setOnce(let sentence), .audit(let sentence),
                .value(_, let sentence):
                sentence
            }
        }

        /// Translates a problem of the engine.
        init(_ problem: DefaultsProblem) {
            self =
                switch problem.kind {
                case .preferences: .preferences(problem.message)
                case .policy: .policy(problem.message)
                case .setOnce: .setOnce(problem.message)
                case .audit: .audit(problem.message)
                case .value(let key): .value(key: key.string, problem.message)
                }
        }
    }

    /// Returns the problems since the last call and removes them.
    ///
    /// Equal problems are kept once, and 100 at most. All objects of one user in a process share the list.
    public func drainProblems() -> [Problem] {
        engine.takeProblems().map { Problem($0) }
    }

    /// The problems, each as it occurs, and first those that are there.
    ///
    /// A problem that the sequence returns is removed from the list of ``drainProblems()``, so each reaches one reader. The
    /// sequence ends when its task is cancelled.
    public var problems: Problems { Problems(engine: engine) }

    /// The problems as they occur; see ``ManagedDefaults/problems``.
    public struct Problems: AsyncSequence, Sendable {
        /// The engine that has the list.
        let engine: DefaultsEngine

        /// Begins to wait for problems.
        public func makeAsyncIterator() -> Iterator { Iterator(engine) }

        /// An iterator over the problems.
        public struct Iterator: AsyncIteratorProtocol {
            /// The engine that has the list.
            private let engine: DefaultsEngine
            /// An element after each new problem.
            private var signals: AsyncStream<Void>.Iterator

            /// Waits for problems from now on.
            init(_ engine: DefaultsEngine) {
                self.engine = engine
                signals = AsyncStream<Void>(bufferingPolicy: .bufferingNewest(1)) { continuation in
                    let reader = ProblemReader { continuation.yield() }
                    engine.add(reader)
                    continuation.onTermination = { _ in engine.remove(reader) }
                }.makeAsyncIterator()
            }

            /// The next problem; `nil` after the task was cancelled.
            public mutating func next() async -> Problem? {
                while true {
                    // One at a time, so that none is lost if the reader stops.
                    if let problem = engine.takeProblems(1).first { return Problem(problem) }
                    guard await signals.next() != nil else { return nil }
                }
            }
        }
    }
}

extension ManagedDefaults {
    /// Adds a problem, once for each unreadable value of a key.
    @inline(never)
    func report<Value>(unreadable stored: MDPropertyList.Value, of key: Key<Value>, _ error: any Error) {
        guard unreadableValues.insert(stored, of: MDPropertyList.Key(key.name)) else { return }
        engine.note(problem(of: key, error, forced: forcedEntry(forKey: key.name)))
    }

    /// The problem of a stored value that is not used: why, and which policy forces it.
    ///
    /// The reason shows parts of the value, so it is left out if the key is sensitive.
    func problem<Value>(of key: Key<Value>, _ error: any Error, forced: PolicyEntry?) -> DefaultsProblem {
        let place = forced.map { entry in
            let line = entry.line.map { ":\($0)" } ?? ""
            return " It is forced by the policy \(entry.policy ?? "") (\(entry.file)\(line))."
        }
        let name = MDPropertyList.Key(key.name)
        let why = engine.isSensitive(name) ? "It is of another type than the setting." : CodingSentence.of(error)
        return DefaultsProblem(
            .value(name), "The value of \(key.name) is not used, and the default holds. \(why)\(place ?? "")")
    }
}

/// The unreadable values that were reported, so that each is reported once.
final class UnreadableValues: Sendable {
    /// The last unreadable value of each key.
    private let values = Guarded<[MDPropertyList.Key: MDPropertyList.Value]>(resettable: [:])

    /// Adds a value.
    ///
    /// - Returns: false if it is the last value that was added for the key.
    func insert(_ value: MDPropertyList.Value, of key: MDPropertyList.Key) -> Bool {
        values.withLock { values in
            guard values[key] != value else { return false }
            values[key] = value
            return true
        }
    }
}
