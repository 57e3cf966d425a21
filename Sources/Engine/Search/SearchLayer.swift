package import Policy
package import PropertyList

/// One domain of the search list with what it holds.
package struct SearchLayer: SearchedLayer, Sendable {
    /// The place in the search list.
    package let kind: LayerKind
    /// The domain that the values belong to.
    package let domain: Key
    /// The values; for forced and recommended layers those of the policy entries.
    package let values: [Key: Value]
    /// The policy entries of a forced or recommended layer, absent ones included; empty for any other.
    package let entries: [Key: ResolvedEntry]
    /// The seal of a forced layer's domain, where it has one.
    package let seal: DomainSeal?
    /// The file that the values come from, as people are shown it; `nil` for policy and for what is in memory only.
    package let path: String?

    /// Makes a layer of stored or volatile values.
    package init(_ kind: LayerKind, domain: Key, values: [Key: Value], path: String? = nil) {
        self.kind = kind
        self.domain = domain
        self.values = values
        self.path = path
        entries = [:]
        seal = nil
    }

    /// Makes a layer of policy entries.
    package init(_ kind: LayerKind, domain: Key, entries: [Key: ResolvedEntry], seal: DomainSeal? = nil) {
        self.kind = kind
        self.domain = domain
        self.entries = entries
        values = entries.compactMapValues(\.value)
        self.seal = seal
        path = nil
    }

    /// The policy entry of a key.
    package func entry(of key: Key) -> ResolvedEntry? { entries[key] ?? seal?.entry(of: key) }

    /// The value of a key.
    package func value(of key: Key) -> Value? { values[key] }
}
