import PropertyList

/// The one decider: what of the files' words about a key is left for a subject.
extension KeyMaterial {
    /// The forced or absent entry, without that of a seal.
    ///
    /// A constraint that leaves one value is a forced entry if there is no other. If a file for some users has the key and
    /// the user is unknown, the entry has no value.
    func forcedEntry(for subject: Subject) -> ResolvedEntry? {
        if let entry = undecidedEntry { return entry }
        let entries = remaining(entries)
        return combined(entries, for: subject) ?? decided(entries, for: subject) ?? onlyChoice()
    }

    /// The recommended entry.
    func recommendedEntry(for subject: Subject) -> ResolvedEntry? { decided(recommended, for: subject) }

    /// The entry that is set once.
    func setOnceEntry(for subject: Subject) -> ResolvedEntry? { decided(setOnce, for: subject) }

    /// An entry without a value, of the strongest file that may or may not be meant for the user; `nil` if no
    /// such file forces, limits or seals the key.
    private var undecidedEntry: ResolvedEntry? {
        var undecided = entries.filter(\.file.isUndecided)
        /// Adds what else such files say, as absent entries.
        func add<Item>(_ candidates: [Candidate<Item>], _ origin: (Item) -> Origin) {
            for candidate in candidates where candidate.file.isUndecided {
                let entry = PolicyEntry(
                    level: .absent, domain: domain, key: key, value: nil, origin: origin(candidate.item))
                undecided.append(Candidate(item: entry, file: candidate.file))
            }
        }
        add(constraints, \.origin)
        add(seals, \.origin)
        guard let winner = undecided.sorted(by: { $0.file.index < $1.file.index }).ranked().first else { return nil }
        return resolved(winner, value: nil, losers: []).withoutValue(for: .user)
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
        !seals.isEmpty && remaining(seals).isEmpty && !seals.contains(where: \.file.isUndecided)
    }

    /// Chooses among entries, which stand in order of application.
    private func decided(_ candidates: [Candidate<PolicyEntry>], for subject: Subject) -> ResolvedEntry? {
        let ranked = candidates.ranked()
        guard let winner = ranked.first else { return nil }
        let value = winner.item.value(for: subject)
        // What is only offered is not, if a part of it is unknown.
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
        var run: [(index: Int, value: Value)] = []
        var isWhole = true
        for (index, candidate) in candidates.enumerated() {
            let (item, isEnforced) = (candidate.item, candidate.file.isEnforced)
            if item.level == .absent {
                (run, isWhole) = ([], true)
            } else if let value = item.value?.value, combine.joins(value) {
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
        let counting = operators.filter { $0.file.index <= last && !$0.file.isUndecided }
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
            entry.shortfall = .variable
        }
        return entry
    }
}
