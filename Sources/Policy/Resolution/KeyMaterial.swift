import PropertyList

/// Everything that the files that apply say of one key, each kind in order of application.
struct KeyMaterial {
    /// The domain.
    let domain: Key
    /// The key.
    let key: Key
    /// Forced and absent entries.
    var entries: [Candidate<PolicyEntry>] = []
    /// Recommended entries.
    var recommended: [Candidate<PolicyEntry>] = []
    /// Entries that are set once.
    var setOnce: [Candidate<PolicyEntry>] = []
    /// Constraints.
    var constraints: [Candidate<ConstraintEntry>] = []
    /// The operators that files give.
    var operators: [Candidate<CombineOperator>] = []
    /// The seals of the domain, for whoever decides about the key.
    var seals: [Candidate<Seal>] = []
    /// The waivers that are meant for the subject, those that have ended included, with their place in their file.
    var waivers: [WaiverCandidate] = []
    /// What people are told about the key, of all files in force.
    var metadata = KeyMetadata()

    /// A waiver that is meant for the subject.
    struct WaiverCandidate {
        /// The waiver.
        let candidate: Candidate<Waiver>
        /// Its place among the waivers of its file.
        let ordinal: Int
        /// Whether it has ended.
        let isExpired: Bool
        /// Whether it is unknown whether its file applies, so that it lifts nothing.
        let isInDoubt: Bool
    }

    /// Makes material without anything.
    init(domain: Key, key: Key) {
        self.domain = domain
        self.key = key
    }

    /// Adds an entry of a file that applies.
    mutating func add(_ entry: PolicyEntry, of file: StandingFile) {
        let candidate = Candidate(item: entry, file: file)
        // What is only offered is not, if it is unknown whether it is meant for the user.
        if file.isUndecided, entry.level == .recommended || entry.level == .setOnce { return }
        switch entry.level {
        case .forced, .absent: entries.append(candidate)
        case .recommended: recommended.append(candidate)
        case .setOnce: setOnce.append(candidate)
        }
    }

    /// Adds a waiver of a file that applies, if it is meant for the subject.
    mutating func add(
        _ waiver: Waiver, ordinal: Int, of file: StandingFile, for subject: Subject, names: NameTable
    ) {
        guard file.applies, !file.isUndecided, waiver.clauses.isCertain(for: subject, names: names) else { return }
        let moment = subject.moment
        waivers.append(
            WaiverCandidate(
                candidate: Candidate(item: waiver, file: file), ordinal: ordinal,
                // Whoever sets the clock back must not win an exception back.
                isExpired: waiver.until.map { $0 <= moment.time } ?? false || moment.isClockBehind,
                isInDoubt: !file.isCertain))
    }

    /// The waivers that are in force.
    private var activeWaivers: [Candidate<Waiver>] {
        waivers.filter { !$0.isExpired && !$0.isInDoubt }.map(\.candidate)
    }

    /// Those of some candidates that no waiver lifts.
    func remaining<Item>(_ candidates: [Candidate<Item>]) -> [Candidate<Item>] {
        if waivers.isEmpty || candidates.isEmpty { return candidates }
        let waivers = activeWaivers
        return candidates.filter { candidate in !waivers.contains { candidate.isLifted(by: $0) } }
    }

    /// What a waiver lifts: entries, then constraints, then seals of the domain, each in order of application; and what
    /// keeps the key from being free all the same.
    ///
    /// - Parameters:
    ///   - waiver: the waiver.
    ///   - seals: the seals of the domain.
    ///   - entry: the forced entry that is left of the key.
    /// - Returns: both; nothing for a waiver that has ended or is in doubt.
    func effect(
        of waiver: WaiverCandidate, seals: [Candidate<Seal>], entry: ResolvedEntry?
    ) -> (lifted: [Origin], obstacle: WaiverObstacle?) {
        if waiver.isExpired || waiver.isInDoubt { return ([], nil) }
        if let entry { return ([], WaiverObstacle(kind: .forces, origin: entry.origin)) }
        if let seal = remaining(seals).ranked().first {
            return ([], WaiverObstacle(kind: .seals, origin: seal.item.origin))
        }
        let entries = entries.filter { $0.isLifted(by: waiver.candidate) }.map(\.item.origin)
        let seals = seals.filter { $0.isLifted(by: waiver.candidate) }.map(\.item.origin)
        // A key that was forced and has a choice now is freer than it was.
        if entries.isEmpty, seals.isEmpty, let constraint = remaining(constraints).ranked().first {
            return ([], WaiverObstacle(kind: .constrains, origin: constraint.item.origin))
        }
        return (
            entries + constraints.filter { $0.isLifted(by: waiver.candidate) }.map(\.item.origin) + seals, nil
        )
    }
}
