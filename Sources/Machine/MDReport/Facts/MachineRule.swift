/// A rule about the machine itself, which every format has beside the requirements of its users.
package struct MachineRule: Sendable {
    /// The rules, in the order in which reports have them; the raw value names them in files.
    package enum Kind: String, Sendable, CaseIterable {
        case log = "log-verifies"
        case policy = "policy-in-force"
        case findings = "no-errors"
        case complete = "everything-looked-at"
        case clock = "clock"

        /// What the rule asks for.
        package var title: String {
            switch self {
            case .log: "The audit log verifies"
            case .policy: "Policy files are in force as written"
            case .findings: "No finding is an error"
            case .complete: "Everything was looked at"
            case .clock: "The clock is not behind what was recorded"
            }
        }
    }

    package let kind: Kind
    /// Whether it holds: met, not met or unknown.
    package let state: RequirementState
    /// What is known of it, in sentences.
    package let words: String

    package init(_ kind: Kind, _ state: RequirementState, _ words: String) {
        (self.kind, self.state, self.words) = (kind, state, words)
    }
}
