import PropertyList

/// The seals of one domain, of the files that apply, in order of application.
struct SealMaterial {
    /// The domain.
    let domain: Key
    /// The seals.
    var seals: [Candidate<Seal>] = []

    /// The entry that stands for every key without one of its own; `nil` without a seal.
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
            description: policy.summary, fileDigest: policy.digest, isLastGood: winner.file.isLastGood)
        if undecided != nil { entry.shortfall = .user }
        return entry
    }
}
