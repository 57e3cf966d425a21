import PropertyList

/// What holds keys beside the files that lint compares: the last good copies of files that are broken, or what nobody can
/// read.
struct LintStanding {
    /// The keys.
    private var keys: Set<LintName> = []
    /// The sealed domains.
    private var seals: Set<Key> = []
    /// Whether there are files of which nothing is known.
    private let isUnknown: Bool
    /// What is known of other files.
    let scope: LintScope

    /// Nothing.
    static let none = LintStanding([])

    /// Gathers what files hold that stand in for broken ones.
    ///
    /// - Parameters:
    ///   - policies: those files.
    ///   - isUnknown: whether there are others of which nothing is known.
    ///   - scope: what is known of other files.
    init(_ policies: [PolicyFile], isUnknown: Bool = false, scope: LintScope = .machine) {
        (self.isUnknown, self.scope) = (isUnknown, scope)
        for policy in policies {
            for entry in policy.entries where entry.level == .forced || entry.level == .absent {
                keys.insert(LintName(domain: entry.domain, key: entry.key))
            }
            for item in policy.constraints { keys.insert(LintName(domain: item.domain, key: item.key)) }
            for seal in policy.seals { seals.insert(seal.domain) }
        }
    }

    /// Whether something may be forced, absent, sealed or constrained there.
    func mayHold(_ domain: Key, _ key: Key) -> Bool {
        isUnknown || seals.contains(domain) || keys.contains(LintName(domain: domain, key: key))
    }
}
