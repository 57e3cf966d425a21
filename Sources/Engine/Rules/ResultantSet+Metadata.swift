package import Policy
package import PropertyList

extension ResultantSet {
    /// What people are told about a key that is looked up in some domains: of the first domain that says something; what
    /// is sensitive in one of them is so.
    package func metadata(of key: Key, in domains: [Key]) -> KeyMetadata {
        if metadata.isEmpty { return KeyMetadata() }
        let found = domains.compactMap { metadata[$0]?[key] }
        guard var result = found.first(where: { !$0.title.isEmpty || !$0.description.isEmpty }) ?? found.first else {
            return KeyMetadata()
        }
        result.isSensitive = found.contains(where: \.isSensitive)
        return result
    }

    /// Whether values of a key that is looked up in some domains are shown to nobody.
    package func isSensitive(_ key: Key, in domains: [Key]) -> Bool {
        metadata.isEmpty ? false : domains.contains { metadata[$0]?[key]?.isSensitive ?? false }
    }
}
