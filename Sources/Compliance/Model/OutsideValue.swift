package import Policy
package import PropertyList

/// A value that a user has stored and a constraint does not allow.
package struct OutsideValue: Sendable {
    /// The constraint.
    package let constraint: ResolvedConstraint
    /// The domain that the value is stored in; another one than the constraint's where that is NSGlobalDomain's.
    package let domain: Key
    /// The stored value.
    package let value: Value
    /// The value that counts in its place; `nil` where it is passed over.
    package let kept: Value?
    /// The file that holds it, under the root.
    package let file: String
    /// Whether it counts on this host only.
    package let isThisHost: Bool
    /// Whether no value of the key is shown to anybody.
    package let isSensitive: Bool
}
