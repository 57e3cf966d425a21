package import PropertyList

/// A domain of which every key is forced: what policy does not list is absent.
package struct Seal: Hashable, Sendable {
    /// The domain.
    package let domain: Key
    /// Where the domain stands.
    package let origin: Origin

    /// Makes a seal.
    package init(domain: Key, origin: Origin) {
        self.domain = domain
        self.origin = origin
    }
}
