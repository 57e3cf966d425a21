import MDCare
import MDEngine
import MDPolicyCore

/// The keys of users, looked at once for all users who have the same.
struct SharedKeys {
    /// What makes the keys of two users the same, if neither has stored anything beneath them.
    private struct Kind: Hashable {
        /// The number of the policy that applies to the user.
        let policy: Int
        let coverage: CoverageIndex.Kind
    }

    /// The number of the policy that applies to each user.
    private var users: [Int] = []
    /// The number of the policy that applies, by kind of user.
    private var kinds: [SharedResultants.Kind: Int] = [:]
    /// The forced entries of each.
    private var entries: [[ResolvedEntry]] = []
    /// The keys that were looked at, by what makes them the same.
    private var sets: [Kind: (share: Int, keys: [KeyCompliance])] = [:]

    /// Adds the next user.
    ///
    /// - Parameters:
    ///   - kind: the kind of user that policy sees.
    ///   - resultant: what policy leaves for that kind.
    mutating func add(_ kind: SharedResultants.Kind, _ resultant: ResultantSet) {
        let number = kinds[kind] ?? entries.count
        if number == entries.count {
            kinds[kind] = number
            entries.append(resultant.forcedEntries)
        }
        users.append(number)
    }

    /// The forced entries of a user.
    func entries(ofUser user: Int) -> [ResolvedEntry] { entries[users[user]] }

    /// The keys of a user.
    ///
    /// - Parameters:
    ///   - user: the user's place.
    ///   - coverage: what is known of what enforces the user's keys.
    ///   - isPlain: whether the user has stored nothing beneath forced keys.
    ///   - look: looks at the keys of the user.
    /// - Returns: the keys, and their number; `nil` if they were looked at for this user alone.
    mutating func keys(
        ofUser user: Int, _ coverage: CoverageIndex.Kind, isPlain: Bool, _ look: () -> [KeyCompliance]
    ) -> ([KeyCompliance], share: Int?) {
        guard isPlain else { return (look(), nil) }
        let kind = Kind(policy: users[user], coverage: coverage)
        if let (share, keys) = sets[kind] { return (keys, share) }
        let (share, keys) = (sets.count, look())
        sets[kind] = (share, keys)
        return (keys, share)
    }
}

extension ReportSummary {
    /// The numbers of a user's keys.
    init(keys: [KeyCompliance]) {
        self.keys = keys.count
        for key in keys {
            switch (key.isKnown, key.isInForce) {
            case (false, _): unknown += 1
            case (true, false): broken += 1
            case (true, true): inForce += 1
            }
            requirements.add(key.state)
            if key.isHiding { hidden += 1 }
            if key.isEqualByChance { equal += 1 }
            guard key.isKnown else { continue }
            switch key.coverage {
            case .asked: observed += 1
            case .confirmed: confirmed += 1
            case .denied: denied += 1
            case .written: written += 1
            case .notInstalled: notInstalled += 1
            case .none: notCovered += 1
            case .unknown: unobserved += 1
            }
        }
    }

    /// Adds the numbers of a user's keys.
    mutating func addKeys(of other: ReportSummary) {
        keys += other.keys
        unknown += other.unknown
        broken += other.broken
        inForce += other.inForce
        requirements.add(other.requirements)
        hidden += other.hidden
        equal += other.equal
        observed += other.observed
        confirmed += other.confirmed
        denied += other.denied
        written += other.written
        notInstalled += other.notInstalled
        notCovered += other.notCovered
        unobserved += other.unobserved
    }
}
