package import PropertyList

/// The operator of a key, as it stands in a policy file.
package struct CombineEntry: Hashable, Sendable {
    /// The domain.
    package let domain: Key
    /// The key.
    package let key: Key
    /// How entries are joined.
    package let combine: CombineOperator
    /// Where the key stands.
    package let origin: Origin

    /// Makes an entry.
    package init(domain: Key, key: Key, combine: CombineOperator, origin: Origin) {
        self.domain = domain
        self.key = key
        self.combine = combine
        self.origin = origin
    }
}
