import Engine
package import Platform
package import Policy
import PropertyList

extension ManagedDefaults {
    /// Who manages a key, why, and where that is written: all that a settings page shows beside a disabled control.
    public struct ForcedKey: Sendable, Hashable {
        /// The key's domain: the application's, a suite or the global domain.
        public let domain: String
        /// The key.
        public let key: String
        /// The identifier of the policy.
        public let policy: String
        /// A short name of the key, in the administrator's words; may be empty.
        public let title: String
        /// What the key does, in the administrator's words; may be empty.
        public let keyDescription: String
        /// The rules that ask for it, a CIS or STIG number for example, in the administrator's words; may be empty.
        public let controls: [String]
        /// What the policy is for, in the administrator's words; may be empty.
        public let summary: String
        /// Whom to ask, in the administrator's words; may be empty.
        public let contact: String
        /// The policy file.
        public let file: String
        /// The line in that file; 0 in a binary file.
        public let line: Int

        /// A sentence for the user: which key, which policy, which file and line, whom to ask.
        public let message: String

        /// Takes over what policy says.
        package init(_ entry: ResolvedEntry, in root: Root) {
            domain = entry.domain.string
            key = entry.key.string
            policy = entry.origin.policy
            title = entry.metadata.title
            keyDescription = entry.metadata.description
            controls = entry.metadata.controls
            summary = entry.description
            contact = entry.contact
            file = root.display(entry.origin.file)
            line = entry.origin.position.line
            message = entry.refusal(in: root)
        }
    }
}
