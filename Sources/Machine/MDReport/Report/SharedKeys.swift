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
    private var sets: [Kind: (share: Int, keys: Required)] = [:]

    /// What is required of a user, but for waivers.
    typealias Required = (keys: [KeyCompliance], constraints: [ConstraintCompliance])

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

    /// The keys and constraints of a user.
    ///
    /// - Parameters:
    ///   - user: the user's place.
    ///   - coverage: what is known of what enforces the user's keys.
    ///   - isPlain: whether what the user has stored is known, and nothing of it is beneath forced keys or not allowed.
    ///   - look: looks at the keys and constraints of the user.
    /// - Returns: both, and their number; `nil` if they were looked at for this user alone.
    mutating func keys(
        ofUser user: Int, _ coverage: CoverageIndex.Kind, isPlain: Bool, _ look: () -> Required
    ) -> (Required, share: Int?) {
        guard isPlain else { return (look(), nil) }
        let kind = Kind(policy: users[user], coverage: coverage)
        if let (share, keys) = sets[kind] { return (keys, share) }
        let (share, keys) = (sets.count, look())
        sets[kind] = (share, keys)
        return (keys, share)
    }
}

extension ReportSummary {
    /// The numbers of a user's requirements and hidden values.
    init(of user: UserCompliance) {
        reasons = user.reasons
        hidden = user.keys.count { $0.isHiding }
        equal = user.keys.count { $0.isEqualByChance }
        outside = user.outside.count
    }

    /// Adds the numbers of a user.
    mutating func add(_ user: ReportSummary) {
        reasons.add(user.reasons)
        hidden += user.hidden
        equal += user.equal
        outside += user.outside
    }
}
