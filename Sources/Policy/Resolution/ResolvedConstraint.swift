package import Platform

/// What the user's value of a key must be like for one subject.
///
/// A constraint that leaves a single value is none of these: it is a forced entry.
package struct ResolvedConstraint: Sendable {
    /// The constraint that wins.
    package let entry: ConstraintEntry
    /// The constraints that lost, the strongest first.
    package let losers: [ConstraintEntry]
    /// Whom to ask; empty where the file does not say.
    package let contact: String
    /// The digest of the winner's file.
    package let fileDigest: Digest
    /// Whether the winner comes from a last good copy.
    package let isLastGood: Bool
    /// What people are told about the key.
    package let metadata: KeyMetadata

    /// Makes a resolved constraint.
    package init(
        entry: ConstraintEntry, losers: [ConstraintEntry] = [], contact: String = "", fileDigest: Digest,
        isLastGood: Bool = false, metadata: KeyMetadata = KeyMetadata()
    ) {
        self.entry = entry
        self.losers = losers
        self.contact = contact
        self.fileDigest = fileDigest
        self.isLastGood = isLastGood
        self.metadata = metadata
    }
}
