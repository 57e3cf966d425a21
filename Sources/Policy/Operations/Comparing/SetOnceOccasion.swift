import PropertyList

/// What an entry that is set once is written for: where this is another one, the value is written once again, over whatever
/// the user has chosen since.
package struct SetOnceOccasion: Hashable, Sendable {
    /// The identifier of the policy.
    private let policy: Key
    /// What of the policy the entry is written for; `nil` for an entry that is written in each session.
    private let occasion: String?

    /// The occasion of an entry.
    init(_ entry: ResolvedEntry) {
        policy = Key(entry.origin.policy)
        occasion = entry.rule.occasion(version: entry.policyVersion)
    }

    /// The occasion in words, not escaped.
    package var words: String { "\(occasion ?? "each session") of \(policy.string)" }
}
