extension ManagedDefaults {
    /// A change of what a lookup returns, of whether an administrator decides it, or of what one allows.
    public struct Change: Sendable {
        /// What brought a change about.
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
        /// What a lookup returns now.
        public let value: (any Sendable)?
        /// Who forces the key now; `nil` where nobody does.
        public let managedBy: ForcedKey?
        /// What the administrator allows the user to choose now; `nil` where anything is allowed, or the key is forced.
        public let allowed: AllowedValues?
        /// What brought it about.
        public let cause: Cause

        /// Whether an administrator decides the value now: a control for the key belongs disabled.
        public var isForced: Bool { managedBy != nil }
    }
}
