package import PropertyList

/// What policy says about one key, or about a whole domain, for one user: one side of a difference.
package struct PolicyStatement: Sendable {
    /// How strongly it holds, in the words of `policy diff`.
    package enum Kind: String, Hashable, Sendable {
        /// A forced value.
        case forced
        /// Forced to have no value.
        case absent
        /// Every key of the domain that has no entry of its own is forced to have no value.
        case sealed
        /// A key of a sealed domain that a waiver frees.
        case waived
        /// A value that the user may change.
        case recommended
        /// A value that is written once.
        case setOnce
        /// What the user's value must be like.
        case constraint
    }

    /// How strongly it holds.
    package let kind: Kind
    /// The value; `nil` for what has none.
    package let value: Value?
    /// The constraint; `nil` for anything else.
    package let constraint: Constraint?
    /// Where it stands, of a combined value every place; empty for a waived key.
    package let origins: [Origin]
    /// Whether the value is never shown.
    package private(set) var isSensitive: Bool
    /// What becomes of a write to a key that is forced, absent or sealed; `nil` for anything else.
    package let onOverride: OverrideMode?
    /// What it is written for; `nil` for anything that is not set once.
    package let occasion: SetOnceOccasion?

    /// Takes over an entry.
    init(_ entry: ResolvedEntry, as kind: Kind) {
        self.kind = kind
        value = entry.level == .absent ? nil : entry.value
        constraint = nil
        origins = entry.contributors.isEmpty ? [entry.origin] : entry.contributors
        isSensitive = entry.metadata.isSensitive
        onOverride = [.forced, .absent, .sealed].contains(kind) ? entry.onOverride : nil
        occasion = kind == .setOnce ? SetOnceOccasion(entry) : nil
    }

    /// Takes over a constraint.
    init(_ resolved: ResolvedConstraint) {
        kind = .constraint
        value = nil
        constraint = resolved.entry.constraint
        origins = [resolved.entry.origin]
        isSensitive = resolved.metadata.isSensitive
        (onOverride, occasion) = (nil, nil)
    }

    /// Says that a key of a sealed domain is free.
    init(waived: Void) {
        kind = .waived
        (value, constraint, origins, isSensitive, onOverride, occasion) = (nil, nil, [], false, nil, nil)
    }

    /// The same as a statement about a key whose values are never shown.
    var hidden: PolicyStatement {
        var copy = self
        copy.isSensitive = true
        return copy
    }

    /// Whether two statements mean the same, wherever they stand.
    func isSame(as other: PolicyStatement) -> Bool {
        guard kind == other.kind, onOverride == other.onOverride, occasion == other.occasion,
            constraint == other.constraint
        else { return false }
        switch (value, other.value) {
        case (nil, nil): return true
        case (let one?, let other?): return CanonicalPolicy.encode(one) == CanonicalPolicy.encode(other)
        default: return false
        }
    }
}
