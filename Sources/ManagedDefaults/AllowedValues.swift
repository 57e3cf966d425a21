import Engine
package import Platform
package import Policy
import PropertyList

extension ManagedDefaults {
    /// What an administrator allows a key to be, while the choice is the user's: what a settings page gives a slider for
    /// its bounds, or a menu for its items.
    public struct AllowedValues: Sendable, Equatable {
        /// The domain that the constraint is for: the application's, a suite or the global domain.
        public let domain: String
        /// The key.
        public let key: String
        /// What is allowed, in words that follow on "must be": `at most 70`.
        public let words: String
        /// What is allowed, as it stands in the policy.
        package let constraint: Constraint
        /// The identifier of the policy.
        public let policy: String
        /// Whom to ask, in the administrator's words; may be empty.
        public let contact: String
        /// A short name of the key, in the administrator's words; may be empty.
        public let title: String
        /// The policy file.
        public let file: String
        /// The line in that file; 0 in a binary file.
        public let line: Int
        /// A sentence for the user: which key, what is allowed, which policy, which file and line, whom to ask.
        public let message: String

        /// Takes over what policy says.
        package init(_ resolved: ResolvedConstraint, in root: Root) {
            let entry = resolved.entry
            domain = entry.domain.string
            key = entry.key.string
            words = resolved.words
            constraint = entry.constraint
            policy = entry.origin.policy
            contact = resolved.contact
            title = resolved.metadata.title
            file = root.display(entry.origin.file)
            line = entry.origin.position.line
            message = resolved.refusal(in: root)
        }
    }

    /// What an administrator allows a key to be; `nil` where anything is allowed, or the key is forced.
    ///
    /// Writing another value stores the nearest one that is allowed, or nothing; ``WriteOutcome`` says which.
    public func allowedValues(forKey key: String) -> AllowedValues? {
        engine.constraint(of: PropertyList.Key(key)).map { AllowedValues($0, in: engine.root) }
    }

    /// What an administrator allows a setting to be; `nil` where anything is allowed, or the setting is forced.
    public func allowedValues(for key: Keys) -> AllowedValues? {
        allowedValues(forKey: key.name)
    }
}

extension ManagedDefaults.AllowedValues {
    /// The least number, where there is one.
    public var minimum: Double? { constraint.minimum?.doubleValue }
    /// The greatest number, where there is one.
    public var maximum: Double? { constraint.maximum?.doubleValue }
    /// The values to choose from; `nil` where there is no such list.
    public var choices: [any Sendable]? { constraint.oneOf?.map { $0.bridged } }
    /// The regular expression that a text must match as a whole, where there is one.
    public var pattern: String? { constraint.pattern?.text }

    /// Whether a value may be stored as it is.
    public func contains(_ value: Any) -> Bool {
        guard let value = Value(bridging: value) else { return false }
        return constraint.verdict(on: value) == .allowed
    }

    /// What would be stored of a value: the value itself, the bound that it is beyond, or nothing.
    public func nearest(to value: Any) -> (any Sendable)? {
        guard let value = Value(bridging: value) else { return nil }
        return switch constraint.verdict(on: value) {
        case .allowed: value.bridged
        case .clamped(let bound): bound.bridged
        case .refused: nil
        }
    }
}
