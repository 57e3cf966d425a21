package import MDEngine
import MDPlatform
import MDPropertyList

extension ManagedDefaults {
    /// A change of the value that a lookup returns, of the policy entry that forces it, or of the allowed values.
    public struct Change: Sendable {
        /// The origin of a change.
        public enum Cause: Sendable, Hashable {
            /// This process wrote, registered defaults, or changed a search list.
            case application
            /// Another process wrote.
            case otherProcess
            /// The administrator's policy changed.
            case policy
        }

        /// The key.
        public let key: String
        /// The value that a lookup returns now; `nil` if there is none.
        public let value: (any Sendable)?
        /// The policy entry that forces the key now; `nil` if the user decides.
        public let forcedEntry: PolicyEntry?
        /// The values that the administrator allows now; `nil` if any value is allowed, or the key is forced.
        public let allowedValues: AllowedValues?
        /// The origin of the change.
        public let cause: Cause

        /// Whether an administrator decides the value now.
        public var isForced: Bool { forcedEntry != nil }
    }

    /// An observation of changes, which ends when it is cancelled or released.
    public final class Observation: Sendable {
        /// The observer.
        private let observer: ChangeObserver
        /// The engine that calls the observer.
        private let engine: DefaultsEngine

        /// Retains an observer.
        package init(_ observer: ChangeObserver, of engine: DefaultsEngine) {
            self.observer = observer
            self.engine = engine
        }

        deinit {
            cancel()
        }

        /// Ends the observation.
        ///
        /// A call that is under way on another thread may still end after this function returns.
        public func cancel() {
            engine.cancel(observer)
        }
    }

    /// Calls a function for each change until the observation ends.
    ///
    /// This is one of the two ways to follow a key; ``settings(for:)`` is a sequence instead.
    ///
    /// There is one call for each change of the value that a lookup returns, of the policy entry that forces it, or of the
    /// allowed values; a write that changes none of them causes no call. Calls are made in order, one at a time, on the
    /// thread that made the change or on one that is making such calls already. The function may use these defaults.
    /// If the system grants this process no thread, changes from outside are delivered by the next use of these defaults.
    ///
    /// - Parameters:
    ///   - key: the key, in which a dot has no meaning; `nil` for every key.
    ///   - handler: the function.
    /// - Returns: the observation. Retain it: the observation ends when it is released.
    public func observeChanges(
        forKey key: String? = nil, _ handler: @escaping @Sendable (Change) -> Void
    ) -> Observation {
        let root = engine.root
        let observer = engine.observe(key.map { MDPropertyList.Key($0) }) { change in
            let cause: Change.Cause =
                switch change.cause {
                case .application: .application
                case .otherProcess: .otherProcess
                case .policy: .policy
                }
            handler(
                Change(
                    key: change.key.string, value: change.value.map { $0.bridged },
                    forcedEntry: change.forced.map { PolicyEntry($0, in: root) },
                    allowedValues: change.constraint.map { AllowedValues($0, in: root) }, cause: cause))
        }
        return Observation(observer, of: engine)
    }

    /// The changes of all keys from now on, for tools that show or pass on every setting.
    ///
    /// Of several changes of a key between two reads only the newest is delivered.
    public var changes: Changes { Changes(self) }

    /// The changes of all keys, as an asynchronous sequence.
    ///
    /// A slow reader gets the newest change of each key, in the order in which they happened, so memory is bounded by the
    /// number of keys. The sequence ends when its task is cancelled.
    public struct Changes: AsyncSequence, Sendable {
        /// The defaults that change.
        private let defaults: ManagedDefaults

        /// Makes a sequence.
        init(_ defaults: ManagedDefaults) {
            self.defaults = defaults
        }

        /// Begins to observe.
        public func makeAsyncIterator() -> Iterator {
            let buffer = ChangeBuffer()
            return Iterator(buffer, defaults.observeChanges { buffer.add($0) })
        }

        /// An iterator over the changes since its creation.
        public struct Iterator: AsyncIteratorProtocol {
            /// The changes that were not read yet.
            private let buffer: ChangeBuffer
            /// Ends with the iterator.
            private let observation: Observation

            /// Retains the observation.
            init(_ buffer: ChangeBuffer, _ observation: Observation) {
                self.buffer = buffer
                self.observation = observation
            }

            /// The next change; `nil` after the task was cancelled.
            public mutating func next() async -> Change? {
                await withTaskCancellationHandler {
                    await buffer.next()
                } onCancel: { [buffer] in
                    buffer.end()
                }
            }
        }
    }
}

/// The changes that one reader has not read yet: the newest of each key, in the order in which they happened.
final class ChangeBuffer: Sendable {
    /// The changes and the reader.
    private struct State {
        /// The changes by the number of their arrival; a newer one of a key replaces the older one.
        var changes: [Int: ManagedDefaults.Change] = [:]
        /// The number of each key's change.
        var numbers: [Key: Int] = [:]
        /// The number of the next change to read, or of one that was replaced.
        var first = 0
        /// The number of the next change to add.
        var next = 0
        /// The reader, while it waits.
        var reader: CheckedContinuation<ManagedDefaults.Change?, Never>?
        /// Whether the reader was cancelled.
        var isEnded = false
    }

    /// The changes and the reader.
    private let state = Guarded(resettable: State())

    /// Adds a change, or resumes the reader with it.
    func add(_ change: ManagedDefaults.Change) {
        let reader = state.withLock { state -> CheckedContinuation<ManagedDefaults.Change?, Never>? in
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            if let old = state.numbers.updateValue(state.next, forKey: Key(change.key)) { state.changes[old] = nil }
            state.changes[state.next] = change
            state.next += 1
            return nil
        }
        reader?.resume(returning: change)
    }

    /// Waits for a change; `nil` after the buffer was ended.
    func next() async -> ManagedDefaults.Change? {
        await withCheckedContinuation { reader in
            let answer = state.withLock { state -> ManagedDefaults.Change?? in
                if state.isEnded { return .some(nil) }
                while state.first < state.next {
                    let change = state.changes.removeValue(forKey: state.first)
                    state.first += 1
                    guard let change else { continue }
                    state.numbers[Key(change.key)] = nil
                    return .some(change)
                }
                state.reader = reader
                return nil
            }
            if let answer { reader.resume(returning: answer) }
        }
    }

    /// Ends the sequence for its reader.
    func end() {
        let reader = state.withLock { state in
            state.isEnded = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }
}
