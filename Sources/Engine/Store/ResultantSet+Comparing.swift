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

    /// Whether a key was forced before and is not now.
    ///
    /// Complexity: O(forced entries).
    func lacksForced(of before: ResultantSet) -> Bool {
        before.forced.contains { domain, entries in
            entries.keys.contains { forced[domain]?[$0] == nil }
        }
    }

    /// The same with the forced entries that some files had before: a running process keeps what it last had of a file
    /// that breaks.
    ///
    /// - Parameters:
    ///   - before: what was in force.
    ///   - files: the files' paths under the root.
    /// - Returns: `nil` where nothing is to be kept.
    func keeping(_ before: ResultantSet, ofFiles files: Set<Key>) -> ResultantSet? {
        guard !files.isEmpty else { return nil }
        var forced = forced
        var isKept = false
        for (domain, entries) in before.forced {
            for (key, entry) in entries where files.contains(Key(entry.origin.file)) {
                forced[domain, default: [:]][key] = entry
                isKept = true
            }
        }
        return isKept ? ResultantSet(forced: forced, recommended: recommended, skipped: skipped) : nil
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
