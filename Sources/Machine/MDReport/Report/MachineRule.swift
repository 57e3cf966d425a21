import MDCare
import MDPolicyCore

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

extension ComplianceReport {
    /// The rules about the machine, in the order of their kinds.
    package var machineRules: [MachineRule] {
        let errors = findings.filter { $0.severity == .error }
        let logState: RequirementState =
            switch log.isVerified {
            case true: .met
            case false: .notMet
            case nil: .unknown
            }
        let isPolicyKnown = users.allSatisfy(\.knowledge.isDecisive)
        let policyState: RequirementState = summary.brokenFiles > 0 ? .notMet : isPolicyKnown ? .met : .unknown
        let policyWords =
            summary.brokenFiles > 0
            ? "\(summary.brokenFiles) of \(files.count) files are not in force as written."
            : isPolicyKnown ? "\(files.count) files, each as written." : "Not all of policy could be read."
        return [
            MachineRule(.log, logState, "\(logMeaning) \(log.detail)"),
            MachineRule(.policy, policyState, policyWords),
            MachineRule(
                .findings, errors.isEmpty ? .met : .notMet,
                errors.isEmpty ? "No error was found." : errors.map { "\($0.message)." }.joined(separator: " ")),
            MachineRule(
                .complete, limits.isEmpty ? .met : .notMet,
                limits.isEmpty ? "\(wasRead) were read." : limits.joined(separator: " ")),
            MachineRule(
                .clock, clockFault == nil ? .met : .notMet,
                clockFault ?? "The clock is later than everything that was recorded here."),
        ]
    }
}
