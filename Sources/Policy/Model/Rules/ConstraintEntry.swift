package import PropertyList

/// The constraint of a key, as it stands in a policy file.
package struct ConstraintEntry: Equatable, Sendable {
    /// The domain.
    package let domain: Key
    /// The key.
    package let key: Key
    /// What a user's value must be like.
    package let constraint: Constraint
    /// Where the key stands.
    package let origin: Origin

    /// Makes an entry.
    package init(domain: Key, key: Key, constraint: Constraint, origin: Origin) {
        self.domain = domain
        self.key = key
        self.constraint = constraint
        self.origin = origin
    }
}
