extension ManagedDefaults {
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

        /// Throws unless the write of every key is in effect.
        func checkEffect() throws(DomainError) {
            if !isInEffect { throw DomainError(outcome: self) }
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

    /// A write of several keys that is not in effect for all of them, as ``store(_:)`` throws it.
    public struct DomainError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The result for each key; the keys that are not in ``DomainOutcome/failedKeys`` were stored.
        public let outcome: DomainOutcome

        /// A sentence for each key whose write is not in effect, each on a line.
        public var description: String {
            if let error = outcome.error { return error.description }
            return outcome.failedKeys.compactMap { outcome.outcomes[$0]?.message }.joined(separator: "\n")
        }
    }
}
