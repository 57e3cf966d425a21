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

    /// Whether a key was forced or constrained before, or a domain sealed, and is not now.
    ///
    /// Complexity: O(forced entries).
    ///
    /// - Parameters:
    ///   - before: what was in force.
    ///   - domains: the domains that count; `nil` for all.
    /// - Returns: whether something is missing.
    func lacksForced(of before: ResultantSet, in domains: Set<Key>?) -> Bool {
        (domains ?? before.ownDomains).contains { domain in
            before.forced[domain]?.keys.contains { forcedEntry(domain: domain, key: $0) == nil } ?? false
                || before.seals[domain] != nil && seals[domain] == nil
                || before.constraints[domain]?.keys.contains {
                    constraints[domain]?[$0] == nil && forcedEntry(domain: domain, key: $0) == nil
                } ?? false
        }
    }

    /// The same with what some files forced, sealed and constrained before: a running process keeps what it last had of a
    /// file that breaks, where the last good copy is another version of it, or there is none.
    ///
    /// - Parameters:
    ///   - before: what was in force.
    ///   - broken: the files that are broken.
    ///   - domains: the domains of which it is known what was in force; `nil` for all.
    /// - Returns: `nil` where nothing is to be kept.
    func keeping(_ before: ResultantSet, of broken: [BrokenFile], in domains: Set<Key>?) -> ResultantSet? {
        guard !broken.isEmpty else { return nil }
        let copies = Dictionary(broken.map { ($0.path, $0.copy) }) { first, _ in first }
        /// Whether what a file said in a version is to be kept.
        func keeps(_ origin: Origin, _ version: Digest) -> Bool {
            guard let copy = copies[Key(origin.file)] else { return false }
            return copy != version
        }
        var forced = forced
        var isKept = false
        for (domain, entries) in before.forced where domains?.contains(domain) ?? true {
            for (key, entry) in entries where keeps(entry.origin, entry.fileDigest) {
                forced[domain, default: [:]][key] = entry
                isKept = true
            }
        }
        var seals = seals
        for (domain, seal) in before.seals where keeps(seal.origin, seal.fileDigest) && seals[domain] == nil {
            guard domains?.contains(domain) ?? true else { continue }
            seals[domain] = seal
            isKept = true
        }
        var constraints = constraints
        for (domain, entries) in before.constraints where domains?.contains(domain) ?? true {
            for (key, entry) in entries
            where keeps(entry.entry.origin, entry.fileDigest) && forced[domain]?[key] == nil {
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
            domains: self.domains, forced: forced, recommended: recommended, setOnce: setOnce, constraints: constraints,
            seals: seals,
            unsealed: unsealed, waivers: waivers, metadata: metadata, applied: applied, skipped: skipped,
            nextChange: nextChange, isTimed: isTimed, problems: problems)
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
