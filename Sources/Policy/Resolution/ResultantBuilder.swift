import Platform
import PropertyList

/// Gathers what is decided, key by key, into a resultant set.
struct ResultantBuilder {
    /// For whom, where and when.
    private let subject: Subject
    /// All files in force, in order of application.
    private let files: [StandingFile]
    /// The seals of each domain.
    private let seals: [Key: SealMaterial]
    /// Forced and absent entries.
    private var forced: [Key: [Key: ResolvedEntry]] = [:]
    /// Recommended entries.
    private var recommended: [Key: [Key: ResolvedEntry]] = [:]
    /// Entries that are set once.
    private var setOnce: [Key: [Key: ResolvedEntry]] = [:]
    /// Constraints.
    private var constraints: [Key: [Key: ResolvedConstraint]] = [:]
    /// The keys that waivers free from seals.
    private var unsealed: [Key: Set<Key>] = [:]
    /// The waivers that are meant for the subject, each with its place.
    private var waivers: [(file: Int, ordinal: Int, waiver: ResolvedWaiver)] = []

    /// Begins with what is known of files and domains.
    init(subject: Subject, files: [StandingFile], seals: [Key: SealMaterial]) {
        self.subject = subject
        self.files = files
        self.seals = seals
    }

    /// Decides a key.
    mutating func add(_ material: KeyMaterial) {
        let (domain, key) = (material.domain, material.key)
        let seals = seals[domain]?.seals ?? []
        var material = material
        material.seals = seals
        let isFree = material.isFree(from: seals)
        let entry = material.forcedEntry(for: subject)
        if let entry { forced[domain, default: [:]][key] = entry }
        if isFree { unsealed[domain, default: []].insert(key) }
        if entry == nil, seals.isEmpty || isFree, let constraint = material.resolvedConstraint() {
            constraints[domain, default: [:]][key] = constraint
        }
        if let entry = material.recommendedEntry(for: subject) { recommended[domain, default: [:]][key] = entry }
        if let entry = material.setOnceEntry(for: subject) { setOnce[domain, default: [:]][key] = entry }
        for waiver in material.waivers {
            let effect = material.effect(of: waiver, seals: seals, entry: entry)
            let resolved = ResolvedWaiver(
                waiver: waiver.candidate.item, isExpired: waiver.isExpired, isInDoubt: waiver.isInDoubt,
                lifted: effect.lifted, obstacle: effect.obstacle)
            waivers.append((waiver.candidate.file.index, waiver.ordinal, resolved))
        }
    }

    /// The resultant set.
    ///
    /// - Parameters:
    ///   - metadata: what people are told about each key.
    ///   - domains: the domains that were looked at; `nil` for all, and then all files were.
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
            next = ResultantBuilder.earlier(next, change)
            if domains != nil { continue }
            let (policy, path) = (file.policy.identifier, file.policy.path)
            if let reason = file.reason {
                skipped.append(SkippedFile(policy: policy, file: path, reason: reason, nextChange: change))
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

    /// The earlier one of two moments, where there are any.
    private static func earlier(_ left: Timestamp?, _ right: Timestamp?) -> Timestamp? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }
}
