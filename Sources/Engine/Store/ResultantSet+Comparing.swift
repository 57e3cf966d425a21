import Policy
import Preferences
import PropertyList

extension ResultantSet {
    /// Whether applications would notice no difference: the same values of the same origin, and the same words for users.
    ///
    /// Complexity: O(entries).
    func isSame(as other: ResultantSet) -> Bool {
        ResultantSet.areSame(forced, other.forced) && ResultantSet.areSame(recommended, other.recommended)
            && ResultantSet.areSame(setOnce, other.setOnce) && metadata == other.metadata
            && unsealed == other.unsealed && seals.count == other.seals.count
            && seals.allSatisfy { domain, seal in other.seals[domain].map { seal.isSame(as: $0) } ?? false }
            && constraints.count == other.constraints.count
            && constraints.allSatisfy { domain, entries in
                guard let others = other.constraints[domain], others.count == entries.count else { return false }
                return entries.allSatisfy { key, entry in others[key].map { entry.isSame(as: $0) } ?? false }
            }
    }

    /// Whether a key was forced or constrained before, or a domain sealed, and is not now.
    ///
    /// Complexity: O(forced entries).
    func lacksForced(of before: ResultantSet) -> Bool {
        before.forced.contains { domain, entries in
            entries.keys.contains { forcedEntry(domain: domain, key: $0) == nil }
        }
            || before.seals.keys.contains { seals[$0] == nil }
            || before.constraints.contains { domain, entries in
                entries.keys.contains { constraints[domain]?[$0] == nil && forcedEntry(domain: domain, key: $0) == nil }
            }
    }

    /// The same with what some files forced, sealed and constrained before: a running process keeps what it last had of a
    /// file that breaks.
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
        var seals = seals
        for (domain, seal) in before.seals where files.contains(Key(seal.origin.file)) && seals[domain] == nil {
            seals[domain] = seal
            isKept = true
        }
        var constraints = constraints
        for (domain, entries) in before.constraints {
            for (key, entry) in entries
            where files.contains(Key(entry.entry.origin.file)) && forced[domain]?[key] == nil {
                constraints[domain, default: [:]][key] = entry
                isKept = true
            }
        }
        guard isKept else { return nil }
        // What was sensitive stays so, whichever file said it.
        let metadata = metadata.merging(before.metadata) { now, before in
            now.merging(before) { now, before in before.isSensitive ? before : now }
        }
        let unsealed = unsealed.merging(before.unsealed) { now, _ in now }
        return ResultantSet(
            forced: forced, recommended: recommended, setOnce: setOnce, constraints: constraints, seals: seals,
            unsealed: unsealed, waivers: waivers, metadata: metadata, applied: applied, skipped: skipped,
            nextChange: nextChange, problems: problems)
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
