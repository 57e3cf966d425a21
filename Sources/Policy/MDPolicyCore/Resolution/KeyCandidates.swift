import MDPolicyModel
import MDPropertyList

/// Everything that the applying files say about one key, each kind in order of application.
struct KeyCandidates {
    let domain: Key
    let key: Key
    /// Forced and absent entries.
    var entries: [CandidateItem<PolicyEntry>] = []
    /// Recommended entries.
    var recommended: [CandidateItem<PolicyEntry>] = []
    /// Set-once entries.
    var setOnce: [CandidateItem<PolicyEntry>] = []
    var constraints: [CandidateItem<ConstraintEntry>] = []
    /// The combination operators.
    var operators: [CandidateItem<CombineOperator>] = []
    /// The seals of the domain; set before the key is decided.
    var seals: [CandidateItem<Seal>] = []
    /// The waivers whose subjects match, including expired ones, with their index in their file.
    var waivers: [WaiverCandidate] = []
    /// Whether a file that applies says anything about the key; if not, only its description counts.
    var isMentioned = false
    /// The description of the key, from all files in force.
    var metadata = KeyMetadata()

    /// A waiver whose subjects match.
    struct WaiverCandidate {
        let candidate: CandidateItem<Waiver>
        /// The index among the waivers of its file.
        let ordinal: Int
        /// Whether it has ended.
        let isExpired: Bool
        /// Whether it is unknown if its file applies; if so, it lifts nothing.
        let isInDoubt: Bool
    }

    /// Makes an empty list of candidates.
    init(domain: Key, key: Key) {
        self.domain = domain
        self.key = key
    }

    /// Adds an entry of a file that applies.
    mutating func add(_ entry: PolicyEntry, of file: CandidateFile) {
        let candidate = CandidateItem(item: entry, file: file)
        // A recommended or set-once value is not given to a user who may not be meant.
        if file.isUndecided, entry.level == .recommended || entry.level == .setOnce { return }
        switch entry.level {
        case .forced, .absent: entries.append(candidate)
        case .recommended: recommended.append(candidate)
        case .setOnce: setOnce.append(candidate)
        }
    }

    /// Adds a waiver of a file that applies, if its subjects match.
    mutating func add(
        _ waiver: Waiver, ordinal: Int, of file: CandidateFile, for subject: Subject, names: AccountIDs
    ) {
        guard file.applies, !file.isUndecided, waiver.clauses.isCertain(for: subject, names: names) else { return }
        let moment = subject.moment
        waivers.append(
            WaiverCandidate(
                candidate: CandidateItem(item: waiver, file: file), ordinal: ordinal,
                // Setting the clock back must not revive an exception.
                isExpired: waiver.until.map { $0 <= moment.time } ?? false || moment.isClockBehind,
                isInDoubt: !file.isCertain))
    }

    /// The waivers that are in force.
    private var activeWaivers: [CandidateItem<Waiver>] {
        waivers.filter { !$0.isExpired && !$0.isInDoubt }.map(\.candidate)
    }

    /// The candidates that no waiver lifts.
    func remaining<Item: Waivable>(_ candidates: [CandidateItem<Item>]) -> [CandidateItem<Item>] {
        if waivers.isEmpty || candidates.isEmpty { return candidates }
        let waivers = activeWaivers
        return candidates.filter { candidate in !waivers.contains { candidate.isLifted(by: $0) } }
    }

    /// The effect of a waiver: the entries, constraints and seals of the domain that it lifts, each in order of
    /// application, and any obstacle that still binds the key.
    ///
    /// - Parameters:
    ///   - waiver: the waiver.
    ///   - seals: the seals of the domain.
    ///   - entry: the forced entry that remains for the key.
    /// - Returns: both; nothing for a waiver that has expired or is in doubt.
    func effect(
        of waiver: WaiverCandidate, seals: [CandidateItem<Seal>], entry: ResolvedEntry?
    ) -> (lifted: [Origin], obstacle: WaiverObstacle?) {
        if waiver.isExpired || waiver.isInDoubt { return ([], nil) }
        if let entry { return ([], WaiverObstacle(kind: .forces, origin: entry.origin)) }
        if let seal = remaining(seals).ranked().first {
            return ([], WaiverObstacle(kind: .seals, origin: seal.item.origin))
        }
        let entries = entries.filter { $0.isLifted(by: waiver.candidate) }.map(\.item.origin)
        let seals = seals.filter { $0.isLifted(by: waiver.candidate) }.map(\.item.origin)
        // A key that was forced and is only constrained now is freer than before, so the constraint is no obstacle
        // then.
        if entries.isEmpty, seals.isEmpty, let constraint = remaining(constraints).ranked().first {
            return ([], WaiverObstacle(kind: .constrains, origin: constraint.item.origin))
        }
        return (
            entries + constraints.filter { $0.isLifted(by: waiver.candidate) }.map(\.item.origin) + seals, nil
        )
    }
}

/// Decides which candidates of a key win for a subject.
extension KeyCandidates {
    /// The forced or absent entry, without that of a seal.
    ///
    /// A constraint that allows only one value is a forced entry if there is no other. If a file with users or groups
    /// has the key and the user is unknown, the entry has no value.
    func forcedEntry(for subject: Subject) -> ResolvedEntry? {
        if let entry = undecidedEntry { return entry }
        let entries = remaining(entries)
        return combined(entries, for: subject) ?? decided(entries, for: subject) ?? onlyChoice()
    }

    /// The recommended entry.
    func recommendedEntry(for subject: Subject) -> ResolvedEntry? { decided(recommended, for: subject) }

    /// The set-once entry.
    func setOnceEntry(for subject: Subject) -> ResolvedEntry? { decided(setOnce, for: subject) }

    /// An entry without a value, of the strongest undecided file; `nil` if no such file forces, constrains or seals the
    /// key.
    private var undecidedEntry: ResolvedEntry? {
        var undecided = entries.filter(\.file.isUndecided)
        /// Adds the other parts of undecided files as absent entries.
        func add<Item>(_ candidates: [CandidateItem<Item>], _ origin: (Item) -> Origin) {
            for candidate in candidates where candidate.file.isUndecided {
                let entry = PolicyEntry(
                    level: .absent, domain: domain, key: key, value: nil, origin: origin(candidate.item))
                undecided.append(CandidateItem(item: entry, file: candidate.file))
            }
        }
        add(constraints, \.origin)
        add(seals, \.origin)
        guard let winner = undecided.sorted(by: { $0.file.index < $1.file.index }).ranked().first else { return nil }
        return resolved(winner, value: nil, losers: []).withoutValue(for: .user)
    }

    /// The constraint on the user's value, for a key that is neither forced nor absent.
    func resolvedConstraint() -> ResolvedConstraint? {
        let ranked = remaining(constraints).ranked()
        guard let winner = ranked.first, winner.item.constraint.onlyValue == nil else { return nil }
        return ResolvedConstraint(
            entry: winner.item, losers: ranked.dropFirst().map(\.item), contact: winner.file.policy.contact,
            fileDigest: winner.file.policy.digest, isRecordedCopy: winner.file.isRecordedCopy, metadata: metadata)
    }

    /// Whether waivers lift every seal of the domain for this key.
    func isFree(from seals: [CandidateItem<Seal>]) -> Bool {
        !seals.isEmpty && remaining(seals).isEmpty && !seals.contains(where: \.file.isUndecided)
    }

    /// Chooses the winner of entries in order of application.
    private func decided(_ candidates: [CandidateItem<PolicyEntry>], for subject: Subject) -> ResolvedEntry? {
        let ranked = candidates.ranked()
        guard let winner = ranked.first else { return nil }
        let value = winner.item.value(for: subject)
        // A recommended or set-once value is not given if a part of it is unknown.
        if value == nil, winner.item.level == .recommended || winner.item.level == .setOnce { return nil }
        return resolved(
            winner, value: value, losers: KeyCandidates.losers(ranked.dropFirst(), subject), isWhole: value != nil)
    }

    /// Combines entries in order of application.
    ///
    /// An entry whose type the operator does not combine is skipped, unless it is `Enforced`, in which case it stays
    /// alone.
    ///
    /// - Returns: `nil` if there is nothing to combine: the operators differ or are `replace`, the key is absent, or an
    ///   enforced entry, or every entry, has a type that the operator does not combine.
    private func combined(_ candidates: [CandidateItem<PolicyEntry>], for subject: Subject) -> ResolvedEntry? {
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
            // Entries after the first enforced one do not take part.
            if isEnforced { break }
        }
        guard let strongest = run.last, let value = combine.joined(run.map(\.value)) else { return nil }
        let joined = Set(run.map(\.index))
        let others = candidates.indices.map { (candidates[$0], joined.contains($0)) }
        let losers = others.filter { !$0.1 }.map(\.0).ranked()
        return resolved(
            candidates[strongest.index], value: value, losers: KeyCandidates.losers(losers[...], subject),
            contributors: run.map { candidates[$0.index].item.origin }, isWhole: isWhole)
    }

    /// The operator on which all files agree that may give one for some entries; `nil` without agreement.
    ///
    /// Files after the first enforced entry do not count.
    private func combine(_ candidates: [CandidateItem<PolicyEntry>]) -> CombineOperator? {
        if operators.isEmpty { return nil }
        let last = candidates.first(where: \.file.isEnforced)?.file.index ?? .max
        let counting = operators.filter { $0.file.index <= last && !$0.file.isUndecided }
        guard let combine = counting.first?.item, counting.allSatisfy({ $0.item == combine }) else { return nil }
        return combine
    }

    /// The forced entry of a constraint that allows only one value.
    private func onlyChoice() -> ResolvedEntry? {
        let ranked = remaining(constraints).ranked()
        guard let winner = ranked.first, let value = winner.item.constraint.onlyValue else { return nil }
        let losers = ranked.dropFirst().compactMap { loser in
            loser.item.constraint.onlyValue.map { Loser(level: .forced, value: $0, origin: loser.item.origin) }
        }
        let entry = PolicyEntry(level: .forced, domain: domain, key: key, value: nil, origin: winner.item.origin)
        return resolved(CandidateItem(item: entry, file: winner.file), value: value, losers: losers)
    }

    /// The entries that lost, the strongest first.
    private static func losers(_ ranked: ArraySlice<CandidateItem<PolicyEntry>>, _ subject: Subject) -> [Loser] {
        ranked.map { Loser(level: $0.item.level, value: $0.item.value(for: subject), origin: $0.item.origin) }
    }

    /// Makes the resolved entry of a winner.
    private func resolved(
        _ winner: CandidateItem<PolicyEntry>, value: Value?, losers: [Loser], contributors: [Origin] = [],
        isWhole: Bool = true
    ) -> ResolvedEntry {
        let policy = winner.file.policy
        // A wrong value would be worse than none.
        let isMissing = value == nil && winner.item.value != nil
        var entry = ResolvedEntry(
            level: isMissing ? .absent : winner.item.level, domain: domain, key: key, value: value,
            origin: winner.item.origin,
            losers: losers, contributors: contributors, metadata: metadata, rule: winner.item.rule,
            onOverride: policy.onOverride, contact: policy.contact, policyVersion: policy.version,
            description: policy.summary, fileDigest: policy.digest, isRecordedCopy: winner.file.isRecordedCopy)
        if winner.item.value != nil, !isWhole {
            entry.shortfall = .variable
        }
        return entry
    }
}

/// The seals of one domain, of the applying files, in order of application.
struct SealCandidates {
    let domain: Key
    var seals: [CandidateItem<Seal>] = []

    /// The absent entry for every key without an entry of its own; `nil` without a seal.
    ///
    /// A waiver never lifts the strongest seal without lifting all of them, so one entry is enough for the domain.
    var entry: ResolvedEntry? {
        let ranked = seals.ranked()
        let undecided = ranked.first(where: \.file.isUndecided)
        guard let winner = undecided ?? ranked.first else { return nil }
        let policy = winner.file.policy
        let others = ranked.filter { $0.item.origin != winner.item.origin }
        var entry = ResolvedEntry(
            level: .absent, domain: domain, key: Key(""), value: nil, origin: winner.item.origin,
            losers: others.map { Loser(level: .absent, value: nil, origin: $0.item.origin) },
            onOverride: policy.onOverride, contact: policy.contact, policyVersion: policy.version,
            description: policy.summary, fileDigest: policy.digest, isRecordedCopy: winner.file.isRecordedCopy)
        if undecided != nil { entry.shortfall = .user }
        return entry
    }
}
