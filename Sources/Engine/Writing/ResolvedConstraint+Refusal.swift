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
        let origin = entry.origin
        let place = origin.position.isBinary ? "" : ":\(origin.position)"
        let file = Printable.escape(root.display(origin.file))
        let ask = contact.isEmpty ? "" : "; to have it changed, ask: \(Printable.escape(contact))"
        return
            "\(Printable.escape(entry.key.string)) in \(Printable.escape(entry.domain.string)) must be \(words) by the "
            + "policy \(Printable.escape(origin.policy)) (\(file)\(place))\(ask)."
    }
}
