package import MDPlatform
package import MDPolicyCore
import MDPolicyModel
import MDPropertyList

extension Origin {
    /// The sentence for administrators about a value that does not count: the key, the decision, the policy with its
    /// file and line, and the contact.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - domain: its domain.
    ///   - what: what is said of the key, as the middle of a sentence: `is forced`.
    ///   - contact: the person or office to ask; empty if the file does not say.
    ///   - root: the root that the policy file belongs to.
    /// - Returns: one sentence.
    func refusal(of key: Key, in domain: Key, _ what: String, contact: String, _ root: Root) -> String {
        let place = position.isBinary ? "" : ":\(position)"
        let file = Printable.escape(root.display(file))
        let ask = contact.isEmpty ? "" : "; to have it changed, ask: \(Printable.escape(contact))"
        return
            "\(Printable.escape(key.string)) in \(Printable.escape(domain.string)) \(what) by the policy "
            + "\(Printable.escape(policy)) (\(file)\(place))\(ask)."
    }
}

extension ResolvedEntry {
    /// The sentence for a user whose write is refused: the key and the contact, in the user's language.
    ///
    /// - Parameters:
    ///   - root: the root that the policy file belongs to.
    ///   - isVerbose: whether the policy, its file and its line are named instead, for administrators.
    /// - Returns: one sentence.
    package func refusal(in root: Root, isVerbose: Bool = false) -> String {
        if case .unknownPolicy = KeyRule(self) {
            return "It cannot be told whether \(Printable.escape(key.string)) in \(Printable.escape(domain.string)) is"
                + " forced, because policy could not be read: \(Printable.escape(description))."
        }
        if !isVerbose { return MessageCatalog.current.refusal(of: self) }
        let what = level == .absent ? "is kept without a value" : "is forced"
        return origin.refusal(of: key, in: domain, what, contact: contact, root)
    }
}

extension ResolvedConstraint {
    /// What is allowed, in words that follow on "must be"; no value, if values of the key are not shown.
    package var words: String {
        metadata.isSensitive ? "what the policy says" : Printable.escape(entry.constraint.words)
    }

    /// The sentence for a user whose value is outside: the key, the allowed values and the contact.
    ///
    /// - Parameters:
    ///   - root: the root that the policy file belongs to.
    ///   - isVerbose: whether the policy, its file and its line are named instead, for administrators.
    /// - Returns: one sentence.
    package func refusal(in root: Root, isVerbose: Bool = false) -> String {
        if !isVerbose { return MessageCatalog.current.refusal(of: self) }
        return entry.origin.refusal(of: entry.key, in: entry.domain, "must be \(words)", contact: contact, root)
    }
}
