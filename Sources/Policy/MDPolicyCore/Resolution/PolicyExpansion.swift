package import MDPropertyList

/// Entries of one domain that stand for entries of others.
///
/// Commands expand policy before they resolve it. Applications do not: what is expanded is for programs that have files of
/// their own.
package struct PolicyExpansion: Sendable {
    /// The domain.
    package let domain: Key
    /// Expands a set, or says in it why what is meant is unknown.
    package let expand: @Sendable (PolicySet) -> PolicySet

    package init(of domain: Key, _ expand: @escaping @Sendable (PolicySet) -> PolicySet) {
        (self.domain, self.expand) = (domain, expand)
    }
}
