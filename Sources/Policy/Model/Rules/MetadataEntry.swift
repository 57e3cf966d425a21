package import PropertyList

/// The metadata of a key, as it stands in a policy file.
///
/// It counts wherever its file is in force, whomever that file is for: what is sensitive for one is so for all.
package struct MetadataEntry: Hashable, Sendable {
    /// The domain.
    package let domain: Key
    /// The key.
    package let key: Key
    /// What people are told.
    package let metadata: KeyMetadata
    /// Where the key stands.
    package let origin: Origin

    /// Makes an entry.
    package init(domain: Key, key: Key, metadata: KeyMetadata, origin: Origin) {
        self.domain = domain
        self.key = key
        self.metadata = metadata
        self.origin = origin
    }
}
