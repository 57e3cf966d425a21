package import MDPropertyList

extension ManagedDefaults {
    /// The result of a write.
    ///
    /// Every writing function returns it and it may be ignored; ``store(_:forKey:)`` throws it as a ``WriteError``.
    public enum WriteOutcome: Sendable, Equatable {
        /// The value is in the user's domain; it is saved without a further call.
        case stored
        /// Nothing changed: the domain has the value already, or the value is the forced one.
        case unchanged
        /// The key is forced. Nothing was stored, and the attempt is recorded in the audit log.
        case refused(PolicyEntry)
        /// The key is forced, and its policy permits writes below the forced value: the value was stored and has no effect
        /// while the key is forced. The attempt is recorded in the audit log.
        case shadowed(PolicyEntry)
        /// The value is outside of the allowed bounds. The nearest allowed value was stored, and the attempt is recorded in
        /// the audit log.
        case clamped(ClampedValue)
        /// The value is not allowed, and no allowed value is nearest to it. Nothing was stored, and the attempt is recorded
        /// in the audit log.
        case disallowed(AllowedValues)
        /// The key or the value cannot be stored in any preference file: the key is empty, or the value is no property
        /// list. The sentence gives the reason. The program has to change the value.
        case invalid(String)
        /// Nothing can be stored at present: policy is unknown, or the preference file cannot be read, or the user has no
        /// account. The sentence gives the reason. A later write may succeed.
        case unavailable(String)

        /// Whether a lookup in the user's domain finds the value that was written.
        ///
        /// An argument or a value for this host, which are searched before the application's domain, can still hide it.
        public var isInEffect: Bool {
            switch self {
            case .stored, .unchanged: true
            case .refused, .shadowed, .clamped, .disallowed, .invalid, .unavailable: false
            }
        }

        /// A sentence for the user that says why the write is not in effect; `nil` if it is.
        public var message: String? {
            switch self {
            case .stored, .unchanged: nil
            case .refused(let entry), .shadowed(let entry): entry.message
            case .clamped(let clamped): clamped.allowedValues.entry.message
            case .disallowed(let allowedValues): allowedValues.entry.message
            case .invalid(let reason), .unavailable(let reason): reason
            }
        }
    }

    /// A write that is not in effect, as ``store(_:forKey:)`` throws it.
    public struct WriteError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The result of the write; never ``WriteOutcome/stored`` or ``WriteOutcome/unchanged``.
        public let outcome: WriteOutcome
        /// A sentence for the user.
        public let message: String

        /// A sentence for the user.
        public var description: String { message }

        /// Makes the error of an outcome; `nil` if the write is in effect.
        public init?(_ outcome: WriteOutcome) {
            guard let message = outcome.message else { return nil }
            self.outcome = outcome
            self.message = message
        }
    }

    /// The value that was stored instead of one outside of the allowed bounds.
    public struct ClampedValue: Sendable, Equatable {
        /// The stored value.
        package let value: Value
        /// The allowed values.
        public let allowedValues: AllowedValues

        /// The stored value, of the types that ``ManagedDefaults/object(forKey:)`` returns.
        public var stored: any Sendable { value.bridged }

        /// Makes the result of a write that was clamped.
        package init(value: Value, allowedValues: AllowedValues) {
            self.value = value
            self.allowedValues = allowedValues
        }
    }

    /// The result of a write of several keys: a whole domain, the properties of a Codable type, or registered defaults.
    public struct DomainOutcome: Sendable, Equatable {
        /// The result for each key that was written, or that was stored before and is not any more; of registered defaults
        /// for those that were left out.
        public let outcomes: [String: WriteOutcome]
        /// Why nothing was written at all; `nil` if each key was tried.
        public let error: WriteError?

        /// The policy entries of the keys that are forced and were refused, sorted by key.
        public var refused: [PolicyEntry] {
            outcomes.values.compactMap { outcome in
                if case .refused(let entry) = outcome { entry } else { nil }
            }.sorted { $0.key < $1.key }
        }

        /// The keys whose write is not in effect, for any reason, sorted.
        public var failedKeys: [String] {
            outcomes.filter { !$0.value.isInEffect }.keys.sorted()
        }

        /// Whether the write of every key is in effect.
        public var isInEffect: Bool {
            error == nil && outcomes.values.allSatisfy(\.isInEffect)
        }

        /// Collects the results of keys.
        init(_ outcomes: [String: WriteOutcome]) {
            self.outcomes = outcomes
            error = nil
        }

        /// Makes the result of a write that was not tried for any key.
        init(nothingWritten outcome: WriteOutcome) {
            outcomes = [:]
            error = WriteError(outcome)
        }
    }
}

extension ManagedDefaults.WriteOutcome {
    /// Throws unless the write is in effect.
    func checkEffect() throws(ManagedDefaults.WriteError) {
        if let error = ManagedDefaults.WriteError(self) { throw error }
    }
}
