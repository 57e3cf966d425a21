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
        /// The value or the key cannot be stored at all, or not while policy cannot be read; a sentence says why.
        case invalid(String)

        /// Whether the write was taken: neither policy nor the value stood in its way.
        ///
        /// An argument or a per-host value ahead of the application's domain can still hide what was stored.
        public var isInEffect: Bool {
            switch self {
            case .stored, .unchanged: true
            case .refused, .shadowed, .invalid: false
            }
        }
    }

    /// Why ``store(_:forKey:)`` did not store.
    public enum WriteError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The key is forced.
        case forced(ForcedKey)
        /// The value or the key cannot be stored at all.
        case invalid(String)

        /// A sentence for the user.
        public var description: String {
            switch self {
            case .forced(let key): key.message
            case .invalid(let message): message
            }
        }
    }
}
