import MDAuditClient
import MDPlatform
import MDPolicyAdministration
import MDPropertyList

/// Writes reports of many machines as events of the Open Cybersecurity Schema Framework 1.8, one a line: a Compliance
/// Finding for each machine, and one for each rule that does not hold on a machine for every user.
package enum MergedOCSF {
    private static let product = "ManagedDefaults"

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
                return event(MachineState(own, file: "", rules: []), report, judgement) + [0x0a]
            })
    }

    private static func events(of machine: MachineState, _ report: MergedReport) -> [UInt8] {
        var bytes = event(machine, report, whole(machine)) + [0x0a]
        if machine.isSilent { return bytes }
        for state in machine.rules {
            let rule = report.rules[Int(state.rule)]
            let status: Int
            switch state.outcome {
            case .met, .waived: continue
            case .failed: status = 3
            case .unknown: status = 0
            }
            let words =
                "covered for \(state.covered) of \(state.users) users, \(state.waived) with a waiver, "
                + "\(state.notCovered) for whom nothing is known to enforce it"
            let judgement = Judgement(control: rule.words, controls: rule.controls, status: status, words: words)
            bytes += event(machine, report, judgement) + [0x0a]
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
        case .notCovered, .nothing: status = 2
        case .notCompliant: status = 3
        }
        let rate = "\(own.covered) of \(own.keys) required keys are covered, \(own.waived) waived"
        let error = own.errors.first.map { "; \($0.message)" } ?? ""
        return Judgement(control: "all of policy", status: status, words: "\(own.verdict.rawValue): \(rate)\(error)")
    }

    private static func event(_ machine: MachineState, _ report: MergedReport, _ judgement: Judgement) -> [UInt8] {
        let own = machine.report
        var json = JSONWriter()
        let milliseconds = Int(own.generated.microseconds / 1_000)
        let uid = RuleName.uuid(report.id, "ocsf", own.machine, own.host, judgement.control)
        json.beginObject()
        json.object("metadata") { json in
            json.field("version", "1.8.0")
            json.object("product") { json in
                json.field("name", product)
                json.field("vendor_name", product)
                json.field("version", report.request.version)
            }
            json.field("uid", uid)
            json.field("correlation_uid", own.id.isEmpty ? report.id : own.id)
        }
        json.field("category_uid", 2)
        json.field("class_uid", 2_003)
        json.field("activity_id", 1)
        json.field("type_uid", 200_301)
        json.field("severity_id", judgement.status == 3 ? 3 : judgement.status == 1 ? 1 : 2)
        json.field("status_id", 1)
        json.field("time", milliseconds)
        json.field("message", "\(own.host): \(judgement.control): \(judgement.words)")
        json.object("compliance") { json in
            json.field("control", judgement.controls.first?.string ?? judgement.control)
            if !judgement.controls.isEmpty {
                json.field("standards", .array(judgement.controls.map { .string($0.string) }))
            }
            json.field("status_id", judgement.status)
            json.field("status_detail", judgement.words)
        }
        json.object("finding_info") { json in
            json.field("uid", uid)
            json.field("title", judgement.control)
            json.field("created_time", milliseconds)
            json.field("types", .array([.string("Managed Setting")]))
        }
        json.member("resources")
        json.beginArray()
        json.beginObject()
        json.field("name", own.host)
        json.field("type", "Machine")
        json.field("uid", own.machine.isEmpty ? own.host : own.machine)
        json.endObject()
        json.endArray()
        json.object("unmapped") { json in
            json.field("room", machine.room)
            json.field("policy_digest", own.policyDigest)
            json.field("attempts", own.attempts)
        }
        json.endObject()
        return json.utf8
    }
}
