import MDEngine
package import MDPlatform
package import MDPolicyCore
package import MDPolicyModel
import MDPropertyList

extension ManagedDefaults {
    /// The values that an administrator allows for a key that the user may change: bounds for a slider, choices for a menu,
    /// a pattern for a text field.
    public struct AllowedValues: Sendable, Equatable {
        /// The policy entry that limits the values, with the manager of the key and the contact to ask.
        public let entry: PolicyEntry
        /// The requirement as a phrase that completes "must be": `at most 70`.
        public let requirement: String
        /// The constraint of the policy file.
        package let constraint: Constraint

        /// The least allowed number; `nil` if there is no lower bound.
        public var minimum: Double? { constraint.minimum?.doubleValue }
        /// The greatest allowed number; `nil` if there is no upper bound.
        public var maximum: Double? { constraint.maximum?.doubleValue }
        /// The values to choose from; `nil` if there is no such list.
        public var choices: [any Sendable]? { constraint.oneOf?.map { $0.bridged } }
        /// The regular expression that the whole text must match; `nil` if there is none.
        public var pattern: String? { constraint.pattern?.text }

        /// Describes a constraint.
        package init(_ constraint: ResolvedConstraint, in root: Root) {
            entry = PolicyEntry(constraint, in: root)
            requirement = constraint.words
            self.constraint = constraint.entry.constraint
        }

        /// Whether a value may be stored unchanged.
        ///
        /// - Parameter value: a value that `set(_:forKey:)` takes.
        /// - Returns: false for a value that is not allowed, and for one that cannot be stored at all.
        public func contains(_ value: Any) -> Bool {
            guard let value = Value(bridging: value) else { return false }
            return constraint.verdict(on: value) == .allowed
        }

        /// The value that a write stores.
        ///
        /// - Parameter value: a value that `set(_:forKey:)` takes.
        /// - Returns: the value itself, or the bound that it exceeds; `nil` if nothing is stored.
        public func nearest(to value: Any) -> (any Sendable)? {
            guard let value = Value(bridging: value) else { return nil }
            return switch constraint.verdict(on: value) {
            case .allowed: value.bridged
            case .clamped(let bound): bound.bridged
            case .refused: nil
            }
        }
    }

    /// The values that an administrator allows for a key; `nil` if any value is allowed, or the key is forced.
    ///
    /// A write of another value stores the nearest allowed one or nothing; ``WriteOutcome`` says which.
    public func allowedValues(forKey key: String) -> AllowedValues? {
        engine.constraint(of: MDPropertyList.Key(key)).map { AllowedValues($0, in: engine.root) }
    }

    /// The values that an administrator allows for a setting; `nil` if any value is allowed, or the setting is forced.
    public func allowedValues<Value>(for key: Key<Value>) -> AllowedValues? {
        allowedValues(forKey: key.name)
    }
}
