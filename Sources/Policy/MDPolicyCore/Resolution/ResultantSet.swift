package import MDPlatform
package import MDPolicyModel
package import MDPropertyList

/// The policy that remains for one user on one host at one moment.
package struct ResultantSet: Sendable {
    /// The domains that the set covers; `nil` for all.
    ///
    /// Keys of any other domain are unknown, not free. A set that covers some domains lists no files, and its
    /// ``nextChange`` concerns only these domains.
    package let domains: Set<Key>?
    /// Forced and absent entries, by domain and key.
    package private(set) var forced: [Key: [Key: ResolvedEntry]]
    /// Recommended entries, by domain and key.
    package private(set) var recommended: [Key: [Key: ResolvedEntry]]
    /// Set-once entries, by domain and key.
    package private(set) var setOnce: [Key: [Key: ResolvedEntry]]
    /// Constraints on users' values, by domain and key; never of a key that is forced or absent.
    package private(set) var constraints: [Key: [Key: ResolvedConstraint]]
    /// The sealed domains, each with the entry for every key that ``forced`` lacks.
    ///
    /// The entry is absent; its key is empty.
    package private(set) var seals: [Key: ResolvedEntry]
    /// The keys of sealed domains that waivers free.
    package private(set) var unsealed: [Key: Set<Key>]
    /// The waivers whose subjects match, in order of application, including expired ones.
    package let waivers: [ResolvedWaiver]
    /// The descriptions of keys, by domain and key, of all files in force.
    package let metadata: [Key: [Key: KeyMetadata]]
    /// The files that apply, in order of application.
    package let applied: [AppliedFile]
    /// The files that do not apply, in order of application.
    package let skipped: [SkippedFile]
    /// The next moment at which time changes the set; `nil` if there is none.
    package var nextChange: Timestamp?
    /// What is known of the policy that this is left of.
    package var knowledge: PolicyKnowledge
    /// Whether any part of the set depends on a time, future or past; if so, setting the clock may change it.
    package let isTimed: Bool
    /// The findings about unknown time zones and calendars.
    package let problems: [Diagnostic]

    package init(
        domains: Set<Key>? = nil,
        forced: [Key: [Key: ResolvedEntry]] = [:], recommended: [Key: [Key: ResolvedEntry]] = [:],
        setOnce: [Key: [Key: ResolvedEntry]] = [:], constraints: [Key: [Key: ResolvedConstraint]] = [:],
        seals: [Key: ResolvedEntry] = [:], unsealed: [Key: Set<Key>] = [:], waivers: [ResolvedWaiver] = [],
        metadata: [Key: [Key: KeyMetadata]] = [:], applied: [AppliedFile] = [], skipped: [SkippedFile] = [],
        nextChange: Timestamp? = nil, knowledge: PolicyKnowledge = .known, isTimed: Bool = false,
        problems: [Diagnostic] = []
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
        self.knowledge = knowledge
        self.isTimed = isTimed
        self.problems = problems
    }

    /// Whether the set covers a domain.
    package func covers(_ domain: Key) -> Bool { domains?.contains(domain) ?? true }

    /// Why the forced keys of some domains are unknown, as a clause; `nil` if they are known.
    package func failure(in domains: [Key]) -> String? {
        knowledge.failure(in: domains)
            ?? (domains.allSatisfy { covers($0) } ? nil : "policy could not be read for it yet")
    }

    /// The forced or absent entry of a key, that of a seal included, if there is one.
    package func forcedEntry(domain: Key, key: Key) -> ResolvedEntry? {
        if let entry = forced[domain]?[key] { return entry }
        guard let seal = seals[domain], unsealed[domain]?.contains(key) != true else { return nil }
        return seal.sealing(key, metadata: metadata[domain]?[key] ?? KeyMetadata())
    }

    /// The recommended entry of a key, if there is one.
    func recommendedEntry(domain: Key, key: Key) -> ResolvedEntry? { recommended[domain]?[key] }

    /// The same set without what it says of the domains whose policy is unknown; these are sealed instead.
    ///
    /// - Parameter knowledge: what is known of policy.
    /// - Returns: the set with this knowledge.
    package func limited(to knowledge: PolicyKnowledge) -> ResultantSet {
        var result = self
        result.knowledge = knowledge
        for (domain, reason) in knowledge.unknownDomains {
            result.forced[domain] = nil
            result.recommended[domain] = nil
            result.setOnce[domain] = nil
            result.constraints[domain] = nil
            result.unsealed[domain] = nil
            result.seals[domain] = .unknown(in: domain, because: reason)
        }
        return result
    }

    /// Every entry: by domain and key in byte order, and of one key the forced one first, then the recommended one,
    /// then the set-once one.
    ///
    /// The entry of a seal (see ``ResolvedEntry/isSeal``) has an empty key, and precedes those of its domain.
    ///
    /// Complexity: O(n log n).
    package var entries: [ResolvedEntry] { entries(ofDomains: { _ in true }) }

    /// The entries of the domains that a caller takes, in the order of ``entries``.
    ///
    /// Names are sorted and not entries, which are larger.
    package func entries(ofDomains isTaken: (Key) -> Bool) -> [ResolvedEntry] {
        let levels = [forced, recommended, setOnce]
        var entries: [ResolvedEntry] = []
        for domain in Set((levels.flatMap(\.keys) + seals.keys).filter(isTaken)).sorted() {
            if let seal = seals[domain] { entries.append(seal) }
            let tables = levels.compactMap { $0[domain] }
            for key in Set(tables.flatMap(\.keys)).sorted() {
                entries += tables.compactMap { $0[key] }
            }
        }
        return entries
    }
}
