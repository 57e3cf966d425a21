package import MDPropertyList

extension ManagedDefaults {
    /// The result of a write.
    ///
    /// Every writing function returns it and it may be ignored; ``store(_:forKey:)`` throws it as a ``WriteError``.
    public enum WriteOutcome: Sendable, Equatable, CustomStringConvertible {
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
        /// list. The program has to change the value.
        case invalid(InvalidReason)
        /// Nothing can be stored at present: policy is unknown, or the preference file cannot be read, or the user has no
        /// account. A later write may succeed.
        case unavailable(UnavailableReason)

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
            case .invalid(let reason): reason.description
            case .unavailable(let reason): reason.description
            }
        }

        /// The ``message``, else what the write did.
        public var description: String {
            message ?? (self == .stored ? "The value was stored." : "Nothing changed.")
        }
    }

    /// A write that is not in effect, as ``store(_:forKey:)`` throws it.
    public struct WriteError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The result of the write; never ``WriteOutcome/stored`` or ``WriteOutcome/unchanged``.
        public let outcome: WriteOutcome

        /// A sentence for the user.
        public var description: String { outcome.description }

        /// Makes the error of an outcome; `nil` if the write is in effect.
        public init?(_ outcome: WriteOutcome) {
            if outcome.isInEffect { return nil }
            self.outcome = outcome
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
}

extension ManagedDefaults.WriteOutcome {
    /// Throws unless the write is in effect.
    func checkEffect() throws(ManagedDefaults.WriteError) {
        if let error = ManagedDefaults.WriteError(self) { throw error }
    }
}
