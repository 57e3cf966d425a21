import PropertyList

/// A domain and a key.
struct LintName: Hashable {
    /// The domain.
    let domain: Key
    /// The key.
    let key: Key
}
