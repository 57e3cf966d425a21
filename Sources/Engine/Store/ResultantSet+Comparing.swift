import Platform
import Policy
import Preferences
import PropertyList

extension ResultantSet {
    /// Every domain of which this says anything.
    private var ownDomains: Set<Key> {
        Set(forced.keys).union(recommended.keys).union(setOnce.keys).union(constraints.keys).union(seals.keys)
            .union(unsealed.keys).union(metadata.keys)
    }

    /// Whether applications would notice no difference: the same values of the same origin, and the same words for users.
    ///
    /// Complexity: O(entries).
    ///
    /// - Parameters:
    ///   - other: what this is compared with.
    ///   - domains: the domains that count; `nil` for all.
    /// - Returns: whether there is none.
    func isSame(as other: ResultantSet, in domains: Set<Key>?) -> Bool {
        (domains ?? ownDomains.union(other.ownDomains)).allSatisfy { isSame(as: other, in: $0) }
    }

    /// Whether applications would notice no difference in one domain.
    private func isSame(as other: ResultantSet, in domain: Key) -> Bool {
        ResultantSet.areSame(forced[domain], other.forced[domain]) { $0.isSame(as: $1) }
            && ResultantSet.areSame(recommended[domain], other.recommended[domain]) { $0.isSame(as: $1) }
            && ResultantSet.areSame(setOnce[domain], other.setOnce[domain]) { $0.isSame(as: $1) }
            && ResultantSet.areSame(constraints[domain], other.constraints[domain]) { $0.isSame(as: $1) }
            && metadata[domain] == other.metadata[domain] && unsealed[domain] == other.unsealed[domain]
            && ResultantSet.areSame(seals[domain], other.seals[domain])
    }

    /// Whether two domains have the same entries.
    private static func areSame<Entry>(
        _ left: [Key: Entry]?, _ right: [Key: Entry]?, _ isSame: (Entry, Entry) -> Bool
    ) -> Bool {
        guard let left, let right else { return (left?.isEmpty ?? true) && (right?.isEmpty ?? true) }
        return left.count == right.count
            && left.allSatisfy { key, entry in right[key].map { isSame(entry, $0) } ?? false }
    }

    /// Whether two seals are the same, or there is none.
    private static func areSame(_ left: ResolvedEntry?, _ right: ResolvedEntry?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.isSame(as: right)
    }
}

extension ResolvedConstraint {
    /// Whether an application would notice no difference.
    fileprivate func isSame(as other: ResolvedConstraint) -> Bool {
        entry == other.entry && contact == other.contact && fileDigest == other.fileDigest
            && metadata == other.metadata
    }
}

extension ResolvedEntry {
    /// Whether an application would notice no difference.
    fileprivate func isSame(as other: ResolvedEntry) -> Bool {
        guard level == other.level, origin == other.origin, onOverride == other.onOverride, contact == other.contact,
            description == other.description, fileDigest == other.fileDigest, metadata == other.metadata,
            rule == other.rule
        else { return false }
        switch (value, other.value) {
        case (nil, nil): return true
        case (let one?, let other?): return one.isIdentical(to: other)
        default: return false
        }
    }
}
