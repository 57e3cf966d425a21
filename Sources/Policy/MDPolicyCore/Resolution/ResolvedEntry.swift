package import MDPlatform
package import MDPolicyModel
package import MDPropertyList

/// The winning entry of one key for one subject, with the entries that lost.
package struct ResolvedEntry: Sendable {
    /// How strongly the entry holds.
    package let level: Level
    package let domain: Key
    package let key: Key
    /// The value, variables expanded; `nil` for an absent entry.
    package let value: Value?
    /// The origin of the winning entry.
    package let origin: Origin
    /// The entries that lost, the strongest first.
    package let losers: [Loser]
    /// The origins of the entries that a combined value was made of, in order of application; empty for any other
    /// value.
    package let contributors: [Origin]
    /// The description of the key.
    package var metadata: KeyMetadata
    /// How often a set-once entry is written; without meaning for other levels.
    package let rule: SetOnceRule
    /// The effect of a write to the key.
    package let onOverride: OverrideMode
    /// The person or office to ask; empty if not given.
    package let contact: String
    /// The version of the winner's file, if given.
    package let policyVersion: Integer?
    /// The description of the winner's file, empty if it has none.
    package let description: String
    /// The digest of the winner's file.
    package let fileDigest: Digest
    /// Whether the winner comes from a recorded copy.
    package let isRecordedCopy: Bool
    /// Whether the key has no entry of its own and is absent because its domain is sealed.
    package private(set) var isFromSeal = false
    /// Why the key has less than its full value; `nil` if it has all of it.
    package internal(set) var shortfall: Shortfall?

    package init(
        level: Level, domain: Key, key: Key, value: Value?, origin: Origin, losers: [Loser] = [],
        contributors: [Origin] = [], metadata: KeyMetadata = KeyMetadata(), rule: SetOnceRule = .eachVersion,
        onOverride: OverrideMode = .refuse, contact: String = "", policyVersion: Integer? = nil,
        description: String = "", fileDigest: Digest, isRecordedCopy: Bool = false
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
        self.isRecordedCopy = isRecordedCopy
    }
}

extension ResolvedEntry {
    /// Whether this is the entry of a seal, which represents every key of its domain without another entry.
    package var isSeal: Bool { level == .absent && key.string.isEmpty }

    /// Makes the absent entry of one key of a sealed domain from the seal's entry.
    func sealing(_ key: Key, metadata: KeyMetadata) -> ResolvedEntry {
        var entry = ResolvedEntry(
            level: level, domain: domain, key: key, value: nil, origin: origin, metadata: metadata,
            onOverride: onOverride, contact: contact, policyVersion: policyVersion, description: description,
            fileDigest: fileDigest, isRecordedCopy: isRecordedCopy)
        entry.isFromSeal = true
        entry.shortfall = shortfall
        return entry
    }

    /// The entry of every key of a domain while policy could not be read.
    ///
    /// It comes from no policy, so its identifier is empty, as that of no policy is.
    package static func unknown(in domain: Key, because reason: String) -> ResolvedEntry {
        let entry = ResolvedEntry(
            level: .absent, domain: domain, key: "", value: nil,
            origin: Origin(policy: "", file: "/etc/managed-defaults/policies.d", position: .start),
            description: reason, fileDigest: SHA256.hash([]))
        return entry.withoutValue(for: .policy)
    }

    /// Makes an entry of the same origin that forces the key to have no value.
    package func withoutValue(for shortfall: Shortfall) -> ResolvedEntry {
        var entry = ResolvedEntry(
            level: .absent, domain: domain, key: key, value: nil, origin: origin, losers: losers, metadata: metadata,
            rule: rule, onOverride: onOverride, contact: contact, policyVersion: policyVersion,
            description: description, fileDigest: fileDigest, isRecordedCopy: isRecordedCopy)
        entry.shortfall = shortfall
        return entry
    }
}

/// An entry that another one overrides.
package struct Loser: Sendable {
    /// How strongly it would have held.
    package let level: Level
    /// Its value, variables expanded; `nil` for an absent entry.
    package let value: Value?
    package let origin: Origin

    package init(level: Level, value: Value?, origin: Origin) {
        self.level = level
        self.value = value
        self.origin = origin
    }
}

/// The constraint on the user's value of a key for one subject.
///
/// A constraint that allows only one value is a forced entry instead.
package struct ResolvedConstraint: Sendable {
    /// The constraint that wins.
    package let entry: ConstraintEntry
    /// The constraints that lost, the strongest first.
    package let losers: [ConstraintEntry]
    /// The person or office to ask; empty if not given.
    package let contact: String
    /// The digest of the winner's file.
    package let fileDigest: Digest
    /// Whether the winner comes from a recorded copy.
    package let isRecordedCopy: Bool
    /// The description of the key.
    package let metadata: KeyMetadata

    package init(
        entry: ConstraintEntry, losers: [ConstraintEntry] = [], contact: String = "", fileDigest: Digest,
        isRecordedCopy: Bool = false, metadata: KeyMetadata = KeyMetadata()
    ) {
        self.entry = entry
        self.losers = losers
        self.contact = contact
        self.fileDigest = fileDigest
        self.isRecordedCopy = isRecordedCopy
        self.metadata = metadata
    }
}

/// A waiver whose subjects match, with its state and effect.
package struct ResolvedWaiver: Sendable {
    package let waiver: Waiver
    /// Whether it has expired.
    package let isExpired: Bool
    /// Whether it is unknown if its file applies; if so, it lifts nothing.
    package let isInDoubt: Bool
    /// The entries, seals and constraints that it lifts; empty if it has expired, lifts nothing, or has an obstacle.
    package let lifted: [Origin]
    /// The reason why the key is not free; `nil` if there is none, or the waiver has expired.
    package let obstacle: WaiverObstacle?

    package init(
        waiver: Waiver, isExpired: Bool, isInDoubt: Bool, lifted: [Origin], obstacle: WaiverObstacle? = nil
    ) {
        self.waiver = waiver
        self.isExpired = isExpired
        self.isInDoubt = isInDoubt
        self.lifted = lifted
        self.obstacle = obstacle
    }
}

/// The reason why a key is not free although a waiver is in force: an `Enforced` file, which a waiver in a file that is
/// not `Enforced` cannot lift.
package struct WaiverObstacle: Hashable, Sendable {
    /// The effect of the file on the key.
    package enum Kind: Hashable, Sendable {
        /// Forces the key to a value, or to none.
        case forces
        /// Seals the domain of the key.
        case seals
        /// Constrains the user's choice.
        case constrains
    }

    package let kind: Kind
    /// The place in the file.
    package let origin: Origin

    package init(kind: Kind, origin: Origin) {
        (self.kind, self.origin) = (kind, origin)
    }

    /// The effect of the file in spite of the waiver, as a clause to be followed by the file.
    package var clause: String {
        switch kind {
        case .forces: "which is Enforced, still forces the key"
        case .seals: "which is Enforced, still seals the domain"
        case .constrains: "which is Enforced, still limits the key"
        }
    }
}

/// Why a forced key has less than its full value, because something is unknown.
///
/// The raw value is printed in JSON as `shortfall`.
package enum Shortfall: String, Sendable {
    /// A variable is unknown of the subject: the part that uses it is missing, most often the whole value.
    case variable
    /// A file with users or groups lists the key, and the user is unknown.
    case user
    /// Policy could not be read, so every key counts as forced.
    case policy
}

extension Shortfall {
    /// A description of the missing part, for users of the value.
    package var words: String {
        switch self {
        case .variable: "without what needs a variable that is unknown here"
        case .user: "without a value: a policy file for some users lists it, and who this user is is unknown here"
        case .policy: "without a value: policy could not be read"
        }
    }
}
