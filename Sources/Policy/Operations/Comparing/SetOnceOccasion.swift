import PropertyList

/// What an entry that is set once is written for: where this is another one, the value is written once again, over whatever
/// the user has chosen since.
package struct SetOnceOccasion: Hashable, Sendable {
    /// The identifier of the policy.
    private let policy: Key
    /// How often the entry is written.
    private let rule: SetOnceRule
    /// The version of the policy, where that counts and is given.
    private let version: Integer?

    /// The occasion of an entry.
    init(_ entry: ResolvedEntry) {
        policy = Key(entry.origin.policy)
        rule = entry.rule
        version = entry.rule == .eachVersion ? entry.policyVersion : nil
    }

    /// The occasion in words, not escaped.
    package var words: String {
        switch rule {
        case .eachVersion: "\(version.map { "version \($0)" } ?? "no version") of \(policy.string)"
        case .eachStamp(let stamp): "stamp \(stamp) of \(policy.string)"
        case .eachSession: "each session of \(policy.string)"
        }
    }
}
