package import Policy

/// One forced key of one user.
package struct KeyCompliance: Sendable {
    /// What policy says, with origin and losers.
    package let entry: ResolvedEntry
    /// What the user has stored beneath.
    package let stored: [HiddenValue]
    /// Whether no value of the key is shown to anybody.
    package let isSensitive: Bool
    /// Whether its value is known, and all of policy was read: else something may stand above what is known.
    package let isKnown: Bool

    /// Makes a forced key.
    package init(entry: ResolvedEntry, stored: [HiddenValue], isSensitive: Bool = false, isKnown: Bool = true) {
        self.isKnown = isKnown && entry.shortfall == nil
        self.entry = entry
        self.stored = stored
        self.isSensitive = isSensitive || entry.metadata.isSensitive
    }

    /// Whether the key is forced as the file says now, and not as an earlier version of it did: its last good copy, or what
    /// was recorded of a file that the user cannot read; false where nobody can tell.
    package var isCompliant: Bool { isKnown && !entry.isLastGood }

    /// Whether the user has stored another value, which has no effect.
    package var isHiding: Bool { stored.contains { !$0.isEqual } }

    /// Whether all that the user has stored is the forced value anyway.
    package var isEqualByChance: Bool { !stored.isEmpty && !isHiding }
}
