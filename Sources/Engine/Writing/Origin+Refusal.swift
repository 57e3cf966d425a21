import Platform
import Policy
import PropertyList

extension Origin {
    /// What a user is told whose value does not count: which key, what is said of it, by which policy, which file and
    /// line, whom to ask.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - domain: its domain.
    ///   - what: what is said of the key, as the middle of a sentence: `is forced`.
    ///   - contact: whom to ask; empty where nobody says.
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
