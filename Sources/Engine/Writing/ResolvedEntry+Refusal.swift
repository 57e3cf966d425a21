package import Platform
package import Policy
import PropertyList

extension ResolvedEntry {
    /// What a user is told whose write is refused: which key, which policy, which file and line, whom to ask.
    ///
    /// - Parameter root: the root that the policy file belongs to.
    /// - Returns: one sentence.
    package func refusal(in root: Root) -> String {
        if isUnknown {
            return "It cannot be told whether \(Printable.escape(key.string)) in \(Printable.escape(domain.string)) is"
                + " forced, because policy could not be read: \(Printable.escape(description))."
        }
        let what = level == .absent ? "is kept without a value" : "is forced"
        return origin.refusal(of: key, in: domain, what, contact: contact, root)
    }
}
