package import Platform
package import PropertyList

/// What policy says about one key for one subject, with the entries that lost.
package struct ResolvedEntry: Sendable {
    /// How strongly it holds.
    package let level: Level
    /// The domain.
    package let domain: Key
    /// The key.
    package let key: Key
    /// The value, variables expanded; `nil` for an absent entry.
    package let value: Value?
    /// Where the winning entry stands.
    package let origin: Origin
    /// The entries that lost, the strongest first.
    package let losers: [Loser]
    /// Where the entries stand that a combined value was made of, in order of application; empty for any other value.
    package let contributors: [Origin]
    /// What people are told about the key.
    package let metadata: KeyMetadata
    /// How often it is written, of an entry that is set once; otherwise without meaning.
    package let rule: SetOnceRule
    /// What becomes of a write to the key.
    package let onOverride: OverrideMode
    /// Whom to ask; empty where the file does not say.
    package let contact: String
    /// The version of the winner's file, where given.
    package let policyVersion: Integer?
    /// The description of the winner's file, empty where it has none.
    package let description: String
    /// The digest of the winner's file.
    package let fileDigest: Digest
    /// Whether the winner comes from a last good copy.
    package let isLastGood: Bool
    /// Whether the key has no entry of its own, and is absent because its domain is sealed.
    package internal(set) var isFromSeal = false
    /// What is unknown, so that the key has less than the value that policy gives it; `nil` if it has all of it.
    package internal(set) var shortfall: Shortfall?

    /// Makes a resolved entry.
    package init(
        level: Level, domain: Key, key: Key, value: Value?, origin: Origin, losers: [Loser] = [],
        contributors: [Origin] = [], metadata: KeyMetadata = KeyMetadata(), rule: SetOnceRule = .eachVersion,
        onOverride: OverrideMode = .refuse, contact: String = "", policyVersion: Integer? = nil,
        description: String = "", fileDigest: Digest, isLastGood: Bool = false
    ) {
        self.level = level
        self.domain = domain
        self.key = key
        self.value = value
        self.origin = origin
        self.losers = losers
        self.contributors = contributors
        self.metadata = metadata
        self.rule = rule
        self.onOverride = onOverride
        self.contact = contact
        self.policyVersion = policyVersion
        self.description = description
        self.fileDigest = fileDigest
        self.isLastGood = isLastGood
    }
}

extension ResolvedEntry {
    /// Whether this is the entry of a seal, which stands for every key of its domain that has no other.
    package var isSeal: Bool { level == .absent && key.string.isEmpty }

    /// The absent entry of one key of a sealed domain, where this is the seal's.
    func sealing(_ key: Key, metadata: KeyMetadata) -> ResolvedEntry {
        var entry = ResolvedEntry(
            level: level, domain: domain, key: key, value: nil, origin: origin, metadata: metadata,
            onOverride: onOverride, contact: contact, policyVersion: policyVersion, description: description,
            fileDigest: fileDigest, isLastGood: isLastGood)
        entry.isFromSeal = true
        entry.shortfall = shortfall
        return entry
    }

    /// The entry of the same origin that forces the key to have no value.
    package func withoutValue(for shortfall: Shortfall) -> ResolvedEntry {
        var entry = ResolvedEntry(
            level: .absent, domain: domain, key: key, value: nil, origin: origin, losers: losers, metadata: metadata,
            rule: rule, onOverride: onOverride, contact: contact, policyVersion: policyVersion,
            description: description, fileDigest: fileDigest, isLastGood: isLastGood)
        entry.shortfall = shortfall
        return entry
    }
}
