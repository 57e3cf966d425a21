extension ManagedDefaults {
    /// What became of a write to a whole domain.
    public struct DomainOutcome: Sendable, Equatable {
        /// What became of each key that was given, or that was stored before.
        public let outcomes: [String: WriteOutcome]
        /// Why nothing at all was done, in a sentence; `nil` where the domain could be written.
        public let message: String?

        /// The keys that are forced and were refused, sorted by name.
        public var refused: [ForcedKey] {
            outcomes.values.compactMap { outcome in
                if case .refused(let key) = outcome { key } else { nil }
            }.sorted { $0.key < $1.key }
        }

        /// Whether every key was taken.
        public var isInEffect: Bool {
            message == nil && outcomes.values.allSatisfy(\.isInEffect)
        }
    }
}
