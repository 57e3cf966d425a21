package import Platform
package import Policy
import PropertyList

extension ResolvedConstraint {
    /// What is allowed, in words that follow on "must be"; not what, where values of the key are not shown.
    package var words: String {
        metadata.isSensitive ? "what the policy says" : Printable.escape(entry.constraint.words)
    }

    /// What a user is told whose value is outside: which key, what is allowed, which policy, which file and line, whom to
    /// ask.
    ///
    /// - Parameter root: the root that the policy file belongs to.
    /// - Returns: one sentence.
    package func refusal(in root: Root) -> String {
        entry.origin.refusal(of: entry.key, in: entry.domain, "must be \(words)", contact: contact, root)
    }
}
