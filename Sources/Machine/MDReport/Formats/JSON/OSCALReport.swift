import MDAuditReading
import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPropertyList
import MDTools

/// Writes a report as assessment results of OSCAL 1.1.2: an observation for each rule, a finding for each control or
/// rule without one, a risk with an approved deviation for each waiver.
///
/// Source: <https://pages.nist.gov/OSCAL-Reference/models/v1.1.2/assessment-results/json-reference/>
package struct OSCALReport: OSCALDocument {
    private let report: ComplianceReport
    var json = JSONWriter(pretty: true)
    private let time: String

    /// The document as UTF-8, without a line feed at its end.
    package static func render(_ report: ComplianceReport) -> [UInt8] {
        var document = OSCALReport(report: report)
        document.whole()
        return document.json.utf8
    }

    private init(report: ComplianceReport) {
        self.report = report
        time = String(report.generated.rfc3339.prefix(19)) + "Z"
    }

    private func uuid(_ kind: String, _ name: String) -> String { RuleName.uuid(report.evidence.id, kind, name) }

    private mutating func whole() {
        object { document in
            document.json.member("assessment-results")
            document.object { $0.results() }
        }
    }

    private mutating func results() {
        json.field("uuid", report.evidence.id)
        json.member("metadata")
        object { document in
            document.json.field("title", document.report.title ?? "Compliance of \(document.report.host.full)")
            document.json.field("last-modified", document.time)
            document.json.field("version", document.report.version)
            document.json.field("oscal-version", "1.1.2")
        }
        json.member("import-ap")
        object { $0.json.field("href", "urn:sha256:\($0.report.policyDigest?.hex ?? "unknown")") }
        let (words, sentence) = TextReport.verdict(of: report)
        array("results", [sentence]) { document, sentence in
            let report = document.report
            document.json.field("uuid", document.uuid("result", ""))
            document.json.field("title", "\(report.host.full): \(words)")
            document.json.field("description", "\(sentence) \(ComplianceReport.limitsOfMethod)")
            document.json.field("start", document.time)
            document.json.field("end", document.time)
            document.properties([
                ("machine", report.machine.id ?? ""), ("room", report.machine.room ?? ""),
                ("system", report.machine.system ?? ""), ("policy-digest", report.policyDigest?.hex ?? ""),
                ("log-status", report.log.status?.rawValue ?? "none"), ("attempts", String(report.summary.attempts)),
                ("complete", report.limits.isEmpty ? "yes" : "no"),
            ])
            document.json.member("reviewed-controls")
            document.object { document in
                document.array("control-selections", [0]) { document, _ in
                    document.json.member("include-all")
                    document.object { _ in }
                }
            }
            document.array("observations", report.rules) { $0.observation($1) }
            document.array("risks", report.waivers.filter { $0.waiver.state == .inForce }) {
                $0.risk($1.user, $1.waiver)
            }
            let others = report.rules.filter(\.controls.isEmpty)
            document.array("findings", report.controls + others) { $0.finding(of: $1) }
        }
    }

    private mutating func observation(_ rule: RuleSummary) {
        let name = "\(rule.domain.string) \(rule.key.string)"
        json.field("uuid", uuid("observation", name))
        json.field("title", rule.title.isEmpty ? Printable.escape(name) : Printable.escape(rule.title))
        json.field(
            "description",
            "\(Printable.escape(name)): met for \(rule.requirements.allWords) users.")
        properties([
            ("domain", rule.domain.string), ("key", rule.key.string), ("required", String(rule.requirements.required)),
            ("met", String(rule.requirements.met)), ("waived", String(rule.requirements.waived)),
        ])
        json.field("methods", .array([.string("TEST")]))
        json.field("collected", time)
    }

    private mutating func risk(_ user: String, _ waiver: ResolvedWaiver) {
        let own = waiver.waiver
        let name = "\(user) \(own.domain.string) \(own.key.string)"
        json.field("uuid", uuid("risk", name))
        json.field("title", "Waiver: \(Printable.escape(name))")
        json.field(
            "description",
            Printable.escape(own.reason.isEmpty ? "No reason is given." : own.reason))
        json.field(
            "statement", "Approved by \(Printable.escape(own.approvedBy.isEmpty ? own.origin.policy : own.approvedBy))."
        )
        json.field("status", "deviation-approved")
        if let until = own.until { json.field("deadline", String(until.rfc3339.prefix(19)) + "Z") }
    }

    /// Writes the finding about a control, or about a rule that belongs to none.
    private mutating func finding(of rule: RuleSummary) {
        let isControl = rule.domain.string.isEmpty
        let name = isControl ? rule.key.string : "\(rule.domain.string) \(rule.key.string)"
        json.field("uuid", uuid("finding", name))
        json.field("title", Printable.escape(name))
        json.field(
            "description",
            "\(Plural.count(rule.keys, "key")), met \(rule.requirements.allWords).")
        json.member("target")
        object { document in
            document.json.field("type", "objective-id")
            document.json.field(
                "target-id", isControl ? RuleName.plain(rule.key.string) : RuleName.name(rule.domain, rule.key))
            document.json.member("status")
            document.object {
                $0.json.field("state", [.met, .waived].contains(rule.state) ? "satisfied" : "not-satisfied")
            }
        }
        let rules = isControl ? report.rules.filter { $0.controls.contains { Key($0) == rule.key } } : [rule]
        array("related-observations", rules) { document, rule in
            document.json.field(
                "observation-uuid", document.uuid("observation", "\(rule.domain.string) \(rule.key.string)"))
        }
    }
}
