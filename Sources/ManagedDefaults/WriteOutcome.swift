package import PropertyList

extension ManagedDefaults {
    /// What became of a write.
    public enum WriteOutcome: Sendable, Equatable {
        /// The user's domain has the value; it reaches the disk by itself.
        case stored
        /// The value was in effect already, or is the one that is forced anyway: nothing was stored.
        case unchanged
        /// The key is forced: nothing was stored, and the attempt is audited.
        case refused(ForcedKey)
        /// The key is forced with `shadow`: stored without effect while it is forced, and the attempt is audited.
        case shadowed(ForcedKey)
        /// The administrator does not allow the value: the nearest one that is allowed was stored, and the attempt is
        /// audited.
        case clamped(ClampedValue)
        /// The administrator does not allow the value, and nothing was stored; the attempt is audited.
        case outside(AllowedValues)
        /// The value or the key cannot be stored at all, or not while policy cannot be read; a sentence says why.
        case invalid(String)

        /// Whether the write was taken: neither policy nor the value stood in its way.
        ///
        /// An argument or a per-host value ahead of the application's domain can still hide what was stored.
        public var isInEffect: Bool {
            switch self {
            case .stored, .unchanged: true
            case .refused, .shadowed, .clamped, .outside, .invalid: false
            }
        }
    }

    /// Why ``store(_:forKey:)`` did not store.
    public enum WriteError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The key is forced.
        case forced(ForcedKey)
        /// The value is not allowed; the nearest one that is was stored.
        case clamped(ClampedValue)
        /// The value is not allowed, and nothing was stored.
        case outside(AllowedValues)
        /// The value or the key cannot be stored at all.
        case invalid(String)

        /// A sentence for the user.
        public var description: String {
            switch self {
            case .forced(let key): key.message
            case .clamped(let clamped): clamped.message
            case .outside(let allowed): allowed.message
            case .invalid(let message): message
            }
        }
    }

    /// What was stored in the place of a value that an administrator does not allow.
    public struct ClampedValue: Sendable, Equatable {
        /// What is stored.
        package let value: Value
        /// What is allowed.
        public let allowed: AllowedValues

        /// What is stored, as `object(forKey:)` returns it.
        public var stored: any Sendable { value.bridged }

        /// A sentence for the user: what is allowed, by which policy, and whom to ask.
        public var message: String { allowed.message }

        /// Names what was stored.
        package init(value: Value, allowed: AllowedValues) {
            self.value = value
            self.allowed = allowed
        }
    }
}
