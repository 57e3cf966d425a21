package import Platform
package import PropertyList

/// What remains of policy for one user on one host at one moment.
package struct ResultantSet: Sendable {
    /// The domains that it speaks of; `nil` for all.
    ///
    /// What it says nothing of in any other domain is unknown, and not free. A set that speaks of some domains names no
    /// files, and changes next when time changes anything in these.
    package let domains: Set<Key>?
    /// Forced and absent entries, by domain and key.
    package let forced: [Key: [Key: ResolvedEntry]]
    /// Recommended entries, by domain and key.
    package let recommended: [Key: [Key: ResolvedEntry]]
    /// Entries that are written into the user's own domain, by domain and key.
    package let setOnce: [Key: [Key: ResolvedEntry]]
    /// What users' values must be like, by domain and key; never of a key that is forced or absent.
    package let constraints: [Key: [Key: ResolvedConstraint]]
    /// The sealed domains, each with the entry that stands for every key that ``forced`` lacks.
    ///
    /// The entry is an absent one; its key is empty.
    package let seals: [Key: ResolvedEntry]
    /// The keys of sealed domains that waivers free.
    package let unsealed: [Key: Set<Key>]
    /// The waivers that are meant for the subject, in order of application, those that have ended included.
    package let waivers: [ResolvedWaiver]
    /// What people are told about keys, by domain and key, of all files in force.
    package let metadata: [Key: [Key: KeyMetadata]]
    /// The files that apply, in order of application.
    package let applied: [AppliedFile]
    /// The files that do not apply, in order of application.
    package let skipped: [SkippedFile]
    /// The next moment at which time changes anything of this; `nil` where it never does.
    package let nextChange: Timestamp?
    /// Whether anything of this names a time, ahead or over: then a clock that is set may change it.
    package let isTimed: Bool
    /// What could not be told about time: a zone that cannot be read, a calendar that does not exist.
    package let problems: [Diagnostic]

    /// Makes a resultant set.
    package init(
        domains: Set<Key>? = nil,
        forced: [Key: [Key: ResolvedEntry]] = [:], recommended: [Key: [Key: ResolvedEntry]] = [:],
        setOnce: [Key: [Key: ResolvedEntry]] = [:], constraints: [Key: [Key: ResolvedConstraint]] = [:],
        seals: [Key: ResolvedEntry] = [:], unsealed: [Key: Set<Key>] = [:], waivers: [ResolvedWaiver] = [],
        metadata: [Key: [Key: KeyMetadata]] = [:], applied: [AppliedFile] = [], skipped: [SkippedFile] = [],
        nextChange: Timestamp? = nil, isTimed: Bool = false, problems: [Diagnostic] = []
    ) {
        self.domains = domains
        self.forced = forced
        self.recommended = recommended
        self.setOnce = setOnce
        self.constraints = constraints
        self.seals = seals
        self.unsealed = unsealed
        self.waivers = waivers
        self.metadata = metadata
        self.applied = applied
        self.skipped = skipped
        self.nextChange = nextChange
        self.isTimed = isTimed
        self.problems = problems
    }

    /// Whether it speaks of a domain.
    package func covers(_ domain: Key) -> Bool { domains?.contains(domain) ?? true }

    /// The forced or absent entry of a key, that of a seal included, if there is one.
    package func forcedEntry(domain: Key, key: Key) -> ResolvedEntry? {
        if let entry = forced[domain]?[key] { return entry }
        guard let seal = seals[domain], unsealed[domain]?.contains(key) != true else { return nil }
        return seal.sealing(key, metadata: metadata[domain]?[key] ?? KeyMetadata())
    }

    /// The recommended entry of a key, if there is one.
    package func recommendedEntry(domain: Key, key: Key) -> ResolvedEntry? { recommended[domain]?[key] }

    /// Every entry: by domain and key in byte order, and of one key the forced one first, then the recommended one, then
    /// the one that is set once.
    ///
    /// The entry of a seal (see ``ResolvedEntry/isSeal``) has an empty key, and stands before those of its domain.
    ///
    /// Complexity: O(n log n).
    package var entries: [ResolvedEntry] {
        let all = [forced, recommended, setOnce].flatMap { level in level.values.flatMap(\.values) } + seals.values
        return all.sorted { left, right in
            if left.domain != right.domain { return left.domain < right.domain }
            if left.key != right.key { return left.key < right.key }
            return ResultantSet.rank(of: left.level) < ResultantSet.rank(of: right.level)
        }
    }

    /// The place of a level among the entries of one key.
    private static func rank(of level: Level) -> Int {
        switch level {
        case .forced, .absent: 0
        case .recommended: 1
        case .setOnce: 2
        }
    }
}
