import PropertyList

/// The one decider: what of the files' words about a key is left for a subject.
extension KeyMaterial {
    /// The forced or absent entry, without that of a seal.
    ///
    /// A constraint that leaves one value is a forced entry where there is no other. Where it depends on who the subject
    /// is, and nobody can tell, the entry has no value.
    func forcedEntry(for subject: Subject) -> ResolvedEntry? {
        let all = forcedEntryOfAll(for: subject)
        guard hasHiddenRules else { return all }
        let possible = [self] + possibilities
        let outcomes = possible.map { $0.outcome(for: subject) }
        if !mayJoinOtherwise, KeyOutcome.agree(outcomes), !isOnlyOthers(where: { $0.outcome(for: subject) == .free }) {
            return all
        }
        // Files that differ say something, all of them together or one alone.
        return possible.lazy.compactMap { $0.entryWithoutValue(for: subject) }.first
    }

    /// The recommended entry; none where it depends on who the subject is, and nobody can tell.
    func recommendedEntry(for subject: Subject) -> ResolvedEntry? {
        offered(recommended, for: subject) { $0.recommended }
    }

    /// The entry that is set once; none where it depends on who the subject is, and nobody can tell.
    func setOnceEntry(for subject: Subject) -> ResolvedEntry? { offered(setOnce, for: subject) { $0.setOnce } }

    /// The forced or absent entry where every file that applies counts.
    private func forcedEntryOfAll(for subject: Subject) -> ResolvedEntry? {
        let entries = remaining(entries).withoutDoubtfulGrants()
        if let entry = combined(entries, for: subject) ?? decided(entries, for: subject) { return entry }
        return onlyChoice()
    }

    /// An entry that is only offered.
    private func offered(
        _ candidates: [Candidate<PolicyEntry>], for subject: Subject,
        _ list: (KeyMaterial) -> [Candidate<PolicyEntry>]
    ) -> ResolvedEntry? {
        let all = decided(candidates, for: subject)
        guard candidates.contains(where: \.file.isHidden) else { return all }
        let outcomes = ([self] + possibilities).map { KeyOutcome($0.decided(list($0), for: subject), nil) }
        return KeyOutcome.agree(outcomes) && !isOnlyOthers(where: { list($0).isEmpty }) ? all : nil
    }

    /// What becomes of the user's value where every file that applies counts.
    ///
    /// A grant of which nobody knows whose it is gives way to all of it.
    private func outcome(for subject: Subject) -> KeyOutcome {
        var material = self
        material.entries.removeAll(where: \.file.isDoubtfulGrant)
        let entry = material.forcedEntryOfAll(for: subject)
        return entry == nil && !remaining(seals).isEmpty ? .fixed(nil) : KeyOutcome(entry, resolvedConstraint())
    }

    /// An entry without a value, of the file that decides.
    private func entryWithoutValue(for subject: Subject) -> ResolvedEntry? {
        if let entry = forcedEntryOfAll(for: subject) { return entry.withoutValue(for: .doubt) }
        guard let winner = remaining(constraints).ranked().first else { return nil }
        let entry = PolicyEntry(level: .absent, domain: domain, key: key, value: nil, origin: winner.item.origin)
        return resolved(Candidate(item: entry, file: winner.file), value: nil, losers: [])
            .withoutValue(for: .doubt)
    }

    /// What the user's value must be like, for a key that is neither forced nor absent.
    func resolvedConstraint() -> ResolvedConstraint? {
        let ranked = remaining(constraints).ranked()
        guard let winner = ranked.first, winner.item.constraint.onlyValue == nil else { return nil }
        return ResolvedConstraint(
            entry: winner.item, losers: ranked.dropFirst().map(\.item), contact: winner.file.policy.contact,
            fileDigest: winner.file.policy.digest, isLastGood: winner.file.isLastGood, metadata: metadata)
    }

    /// Whether waivers free the key from every seal of its domain.
    func isFree(from seals: [Candidate<Seal>]) -> Bool {
        !seals.isEmpty && remaining(seals).isEmpty
    }

    /// Chooses among entries, which stand in order of application.
    private func decided(_ candidates: [Candidate<PolicyEntry>], for subject: Subject) -> ResolvedEntry? {
        let ranked = candidates.ranked()
        guard let winner = ranked.first else { return nil }
        let value = winner.file.isDoubtfulGrant ? nil : winner.item.value(for: subject)
        // What is only offered is not, where nobody can tell the whole of it.
        if value == nil, winner.item.level == .recommended || winner.item.level == .setOnce { return nil }
        return resolved(
            winner, value: value, losers: KeyMaterial.losers(ranked.dropFirst(), subject), isWhole: value != nil)
    }

    /// Joins entries, which stand in order of application.
    ///
    /// An entry of a type that the operator does not join takes no part, unless it is `Enforced`: that one stands alone.
    ///
    /// - Returns: `nil` where there is nothing to join: the operators differ or say `replace`, the key is absent, or an
    ///   enforced entry, or every entry, has a type that the operator does not join.
    private func combined(_ candidates: [Candidate<PolicyEntry>], for subject: Subject) -> ResolvedEntry? {
        guard let combine = combine(candidates), combine != .replace else { return nil }
        let isCertain = !candidates.allSatisfy(\.file.givesWay)
        var run: [(index: Int, value: Value)] = []
        var isWhole = true
        for (index, candidate) in candidates.enumerated() where !isCertain || !candidate.file.givesWay {
            let (item, isEnforced) = (candidate.item, candidate.file.isEnforced)
            if item.level == .absent {
                (run, isWhole) = ([], true)
            } else if let value = item.value?.value, combine.joins(value), !candidate.file.isDoubtfulGrant {
                let known = item.known(for: subject)
                run.append((index, known.value))
                isWhole = isWhole && known.isWhole
            } else if isEnforced {
                return nil
            }
            // The walk ends at the first enforced entry.
            if isEnforced { break }
        }
        guard let strongest = run.last, let value = combine.joined(run.map(\.value)) else { return nil }
        let joined = Set(run.map(\.index))
        let others = candidates.indices.map { (candidates[$0], joined.contains($0)) }
        let losers = others.filter { !$0.1 }.map(\.0).ranked()
        return resolved(
            candidates[strongest.index], value: value, losers: KeyMaterial.losers(losers[...], subject),
            contributors: run.map { candidates[$0.index].item.origin }, isWhole: isWhole)
    }

    /// The operator that all files agree on which may give one for some entries; `nil` without agreement.
    ///
    /// Nothing that comes behind the first enforced entry, with which the walk ends, says what becomes of it.
    private func combine(_ candidates: [Candidate<PolicyEntry>]) -> CombineOperator? {
        if operators.isEmpty { return nil }
        let last = candidates.first(where: \.file.isEnforced)?.file.index ?? .max
        let isCertain = !candidates.allSatisfy(\.file.givesWay)
        let counting = operators.filter { $0.file.index <= last && (!isCertain || !$0.file.givesWay) }
        guard let combine = counting.first?.item, counting.allSatisfy({ $0.item == combine }) else { return nil }
        return combine
    }

    /// The forced entry of a constraint that leaves one value.
    private func onlyChoice() -> ResolvedEntry? {
        let ranked = remaining(constraints).ranked()
        guard let winner = ranked.first, let value = winner.item.constraint.onlyValue else { return nil }
        let losers = ranked.dropFirst().compactMap { loser in
            loser.item.constraint.onlyValue.map { Loser(level: .forced, value: $0, origin: loser.item.origin) }
        }
        let entry = PolicyEntry(level: .forced, domain: domain, key: key, value: nil, origin: winner.item.origin)
        return resolved(Candidate(item: entry, file: winner.file), value: value, losers: losers)
    }

    /// The entries that lost, the strongest first.
    private static func losers(_ ranked: ArraySlice<Candidate<PolicyEntry>>, _ subject: Subject) -> [Loser] {
        ranked.map { Loser(level: $0.item.level, value: $0.item.value(for: subject), origin: $0.item.origin) }
    }

    /// The entry of a winner.
    private func resolved(
        _ winner: Candidate<PolicyEntry>, value: Value?, losers: [Loser], contributors: [Origin] = [],
        isWhole: Bool = true
    ) -> ResolvedEntry {
        let policy = winner.file.policy
        // A wrong value is worse than none.
        let isMissing = value == nil && winner.item.value != nil
        var entry = ResolvedEntry(
            level: isMissing ? .absent : winner.item.level, domain: domain, key: key, value: value,
            origin: winner.item.origin,
            losers: losers, contributors: contributors, metadata: metadata, rule: winner.item.rule,
            onOverride: policy.onOverride, contact: policy.contact, policyVersion: policy.version,
            description: policy.summary, fileDigest: policy.digest, isLastGood: winner.file.isLastGood)
        if winner.item.value != nil, !isWhole {
            entry.shortfall = winner.file.isDoubtfulGrant ? .grant : .variable
        }
        return entry
    }
}
