import MDCare
import MDPolicyCore

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
