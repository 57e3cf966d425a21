import Policy
import Preferences
import PropertyList

extension ResultantSet {
    /// Whether applications would notice no difference: the same values of the same origin, and the same words for users.
    ///
    /// Complexity: O(entries).
    func isSame(as other: ResultantSet) -> Bool {
        ResultantSet.areSame(forced, other.forced) && ResultantSet.areSame(recommended, other.recommended)
    }

    /// Whether two levels have the same entries.
    private static func areSame(
        _ left: [Key: [Key: ResolvedEntry]], _ right: [Key: [Key: ResolvedEntry]]
    ) -> Bool {
        left.count == right.count
            && left.allSatisfy { domain, entries in
                guard let others = right[domain], others.count == entries.count else { return false }
                return entries.allSatisfy { key, entry in others[key].map { entry.isSame(as: $0) } ?? false }
            }
    }
}

extension ResolvedEntry {
    /// Whether an application would notice no difference.
    fileprivate func isSame(as other: ResolvedEntry) -> Bool {
        guard level == other.level, origin == other.origin, onOverride == other.onOverride, contact == other.contact,
            description == other.description, fileDigest == other.fileDigest
        else { return false }
        switch (value, other.value) {
        case (nil, nil): return true
        case (let one?, let other?): return one.isIdentical(to: other)
        default: return false
        }
    }
}
