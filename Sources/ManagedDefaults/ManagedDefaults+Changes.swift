import Engine
import Platform
import PropertyList

extension ManagedDefaults {
    /// Calls a function for each change until the observation ends.
    ///
    /// There is one call for each change of what a lookup returns or of whether policy decides it; a write that changes
    /// neither causes none. Calls come in order, one at a time, on the thread that made the change or on one that is
    /// making such calls already; the function may use these defaults.
    /// Where the system grants this process no thread, whoever uses these defaults makes the calls for what others changed.
    ///
    /// - Parameters:
    ///   - key: the key, in which a dot means nothing; `nil` for every key.
    ///   - handler: the function.
    /// - Returns: the observation; keep it.
    public func observe(
        _ key: String? = nil, _ handler: @escaping @Sendable (Change) -> Void
    ) -> Observation {
        let root = engine.root
        let observer = engine.observe(key.map { PropertyList.Key($0) }) { change in
            let cause: Change.Cause =
                switch change.cause {
                case .application: .application
                case .otherProcess: .otherProcess
                case .policy: .policy
                }
            handler(
                Change(
                    key: change.key.string, value: change.value.map { $0.bridged },
                    managedBy: change.forced.map { ForcedKey($0, in: root) },
                    allowed: change.constraint.map { AllowedValues($0, in: root) }, cause: cause))
        }
        return Observation(observer, of: engine)
    }

    /// The changes of a key from now on; of changes that nobody took in time the newest remains.
    ///
    /// The sequence ends when its task is cancelled.
    public func changes(forKey key: String) -> AsyncStream<Change> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let observation = observe(key) { continuation.yield($0) }
            continuation.onTermination = { _ in observation.cancel() }
        }
    }

    /// The changes of all keys from now on; of changes of one key that nobody took in time the newest remains.
    public var changes: Changes { Changes(self) }
}
