import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDPolicyAdministration
import MDPropertyList

/// Writes reports of many machines as events of the Open Cybersecurity Schema Framework 1.8, one a line: a Compliance
/// Finding for each machine, and one for each rule that does not hold on a machine for every user.
package enum MergedOCSF {
    /// What is said of a machine, or of a rule on it.
    private struct Judgement {
        let control: String
        var controls: [Key] = []
        /// 1 pass, 2 warning, 3 fail; 0 unknown.
        let status: Int
        let words: String
    }

    /// The events: a piece for each machine.
    package static func pieces(_ report: MergedReport) -> DocumentPieces {
        DocumentPieces(
            report.machines.lazy.map { events(of: $0, report) },
            report.missing.lazy.map { host in
                var own = MachineReport()
                (own.host, own.room, own.generated) = (host.host.string, host.room ?? "", report.request.time)
                let judgement = Judgement(control: "report", status: 0, words: "there is no report of it")
                return event(MachineState(own, file: "", rules: []), report, judgement)
            })
    }

    private static func events(of machine: MachineState, _ report: MergedReport) -> [UInt8] {
        var bytes = event(machine, report, whole(machine))
        if machine.isSilent { return bytes }
        for state in machine.rules {
            let rule = report.rules[Int(state.rule)]
            let status: Int
            switch state.state {
            case .met, .waived, .notApplicable: continue
            case .notMet: status = 3
            case .unknown: status = 0
            }
            let words =
                "met for \(state.requirements.words) users, not met for \(state.requirements.notMet)"
            let judgement = Judgement(control: rule.words, controls: rule.controls, status: status, words: words)
            bytes += event(machine, report, judgement)
        }
        return bytes
    }

    /// What is said of a whole machine.
    private static func whole(_ machine: MachineState) -> Judgement {
        let own = machine.report
        if machine.isSilent {
            return Judgement(
                control: "report", status: 0, words: "its newest report is of \(own.generated.rfc3339)")
        }
        let status: Int
        switch own.verdict {
        case .compliant: status = 1
        case .notCovered, .notLookedAt, .nothing, .asIf: status = 2
        case .notCompliant: status = 3
        }
        let rate = "met \(own.counts.allWords)"
        let error = own.errors.first.map { "; \($0.message)" } ?? ""
        return Judgement(control: "all of policy", status: status, words: "\(own.verdict.rawValue): \(rate)\(error)")
    }

    private static func event(_ machine: MachineState, _ report: MergedReport, _ judgement: Judgement) -> [UInt8] {
        let own = machine.report
        let finding = OCSFFinding(
            uid: RuleName.uuid(report.id, "ocsf", own.machine, own.host, judgement.control),
            report: own.id.isEmpty ? report.id : own.id, version: report.request.version, time: own.generated,
            severity: judgement.status == 3 ? 3 : judgement.status == 1 ? 1 : 2,
            message: "\(own.host): \(judgement.control): \(judgement.words)", name: judgement.control,
            controls: judgement.controls.map(\.string), status: judgement.status, words: judgement.words,
            title: judgement.control,
            resource: (own.host, "Machine", own.machine.isEmpty ? own.host : own.machine))
        return finding.line { json in
            json.field("room", machine.room)
            json.field("policy_digest", own.policyDigest)
            json.field("attempts", own.attempts)
        }
    }
}
