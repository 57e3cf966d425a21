import MDEngine
import MDPlatform
import MDPropertyList

extension ManagedDefaults {
    /// Something that went wrong outside of a call that could have returned it: a file that could not be read or saved, an
    /// attempt that could not be recorded, a stored value that could not be used.
    public struct Problem: Sendable, Hashable, CustomStringConvertible {
        /// What a problem concerns.
        public enum Kind: Sendable, Hashable {
            /// A preference file that could not be read or saved, or was damaged and set aside.
            case preferences
            /// Policy that could not be read: the last known policy stays in force, or policy is unknown.
            case policy
            /// A value to be set once that could not be stored.
            case setOnce
            /// An audit record that could not be written.
            case audit
            /// The stored value of this key, which is of another type than the setting: the default is used.
            case value(key: String)
        }

        /// What the problem concerns.
        public let kind: Kind
        /// A sentence for a log or an administrator.
        public let message: String

        /// A sentence for a log or an administrator.
        public var description: String { message }

        /// Translates a problem of the engine.
        init(_ problem: DefaultsProblem) {
            kind =
                switch problem.kind {
                case .preferences: .preferences
                case .policy: .policy
                case .setOnce: .setOnce
                case .audit: .audit
                case .value(let key): .value(key: key.string)
                }
            message = problem.message
        }
    }

    /// Returns the problems since the last call and removes them.
    ///
    /// Equal problems are kept once, and 100 at most. All objects of one user in a process share the list.
    public func drainProblems() -> [Problem] {
        engine.takeProblems().map { Problem($0) }
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
            " It is forced by the policy \(entry.policy) (\(entry.file)\(entry.line > 0 ? ":\(entry.line)" : ""))."
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
