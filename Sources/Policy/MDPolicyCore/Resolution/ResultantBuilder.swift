import MDPlatform
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

/// Builds a resultant set from the decisions about each key.
struct ResultantBuilder {
    /// The user, host and time.
    private let subject: Subject
    /// All files in force, in order of application.
    private let files: [CandidateFile]
    /// The seals of each domain.
    private let seals: [Key: SealCandidates]
    /// Forced and absent entries.
    private var forced: [Key: [Key: ResolvedEntry]] = [:]
    /// Recommended entries.
    private var recommended: [Key: [Key: ResolvedEntry]] = [:]
    /// Set-once entries.
    private var setOnce: [Key: [Key: ResolvedEntry]] = [:]
    private var constraints: [Key: [Key: ResolvedConstraint]] = [:]
    /// The keys that waivers free from seals.
    private var unsealed: [Key: Set<Key>] = [:]
    /// The waivers whose subjects match, each with its file and its index there.
    private var waivers: [(file: Int, ordinal: Int, waiver: ResolvedWaiver)] = []

    /// Begins without keys.
    init(subject: Subject, files: [CandidateFile], seals: [Key: SealCandidates]) {
        self.subject = subject
        self.files = files
        self.seals = seals
    }

    /// Decides a key.
    mutating func add(_ candidates: KeyCandidates) {
        let (domain, key) = (candidates.domain, candidates.key)
        let seals = seals[domain]?.seals ?? []
        var candidates = candidates
        candidates.seals = seals
        let isFree = candidates.isFree(from: seals)
        let entry = candidates.forcedEntry(for: subject)
        if let entry { forced[domain, default: [:]][key] = entry }
        if isFree { unsealed[domain, default: []].insert(key) }
        if entry == nil, seals.isEmpty || isFree, let constraint = candidates.resolvedConstraint() {
            constraints[domain, default: [:]][key] = constraint
        }
        if let entry = candidates.recommendedEntry(for: subject) { recommended[domain, default: [:]][key] = entry }
        if let entry = candidates.setOnceEntry(for: subject) { setOnce[domain, default: [:]][key] = entry }
        for waiver in candidates.waivers {
            let effect = candidates.effect(of: waiver, seals: seals, entry: entry)
            // The waiver of the common setting itself is in the set, whatever it became.
            if waiver.candidate.item.origin.source.isExpanded, effect.lifted.isEmpty { continue }
            let resolved = ResolvedWaiver(
                waiver: waiver.candidate.item, isExpired: waiver.isExpired, isInDoubt: waiver.isInDoubt,
                lifted: effect.lifted, obstacle: effect.obstacle)
            waivers.append((waiver.candidate.file.index, waiver.ordinal, resolved))
        }
    }

    /// Makes the resultant set.
    ///
    /// - Parameters:
    ///   - metadata: the description of each key.
    ///   - domains: the domains that were read; `nil` for all of them, and then every file was read.
    /// - Returns: the set.
    func resultant(metadata: [Key: [Key: KeyMetadata]], domains: Set<Key>? = nil) -> ResultantSet {
        var ends: [Int: Timestamp] = [:]
        for (file, _, resolved) in waivers where !resolved.isExpired {
            ends[file] = ResultantBuilder.earlier(ends[file], resolved.waiver.until)
        }
        var applied: [AppliedFile] = []
        var skipped: [SkippedFile] = []
        var next: Timestamp?
        for file in files {
            let change = ResultantBuilder.earlier(file.nextChange, ends[file.index])
            next = ResultantBuilder.earlier(next, ResultantBuilder.earlier(change, file.nextCertainty))
            if domains != nil { continue }
            let (policy, path) = (file.policy.identifier, file.policy.path)
            if let reason = file.reason {
                skipped.append(
                    SkippedFile(
                        policy: policy, file: path, reason: reason, nextChange: change,
                        isTimed: file.isTimed && !file.isUndecided))
            } else {
                applied.append(AppliedFile(policy: policy, file: path, nextChange: change))
            }
        }
        return ResultantSet(
            domains: domains, forced: forced, recommended: recommended, setOnce: setOnce, constraints: constraints,
            seals: seals.compactMapValues(\.entry), unsealed: unsealed,
            waivers: waivers.sorted { ($0.file, $0.ordinal) < ($1.file, $1.ordinal) }.map(\.waiver),
            metadata: metadata, applied: applied, skipped: skipped, nextChange: next,
            isTimed: files.contains(where: \.isTimed) || waivers.contains { $0.waiver.waiver.until != nil },
            problems: files.flatMap { file in file.problems.map { $0.diagnostic(file: file.policy.path) } })
    }

    /// The earlier one of two moments; the only one if the other is `nil`.
    private static func earlier(_ left: Timestamp?, _ right: Timestamp?) -> Timestamp? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }
}
