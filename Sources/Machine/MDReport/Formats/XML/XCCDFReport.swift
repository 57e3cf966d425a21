import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPropertyList

/// Writes a report as a benchmark of XCCDF 1.2 with its results, one for each key of each user.
package struct XCCDFReport {
    private let report: ComplianceReport
    private var xml = XMLText()

    package static func render(_ report: ComplianceReport) -> [UInt8] {
        var document = XCCDFReport(report: report)
        document.benchmark()
        return Array(document.xml.text.utf8)
    }

    private init(report: ComplianceReport) {
        self.report = report
    }

    private var benchmarkID: String {
        XMLText.id("benchmark", "policy-\(report.policyDigest?.hex.prefix(16) ?? "unknown")")
    }

    private mutating func benchmark() {
        let time = String(report.generated.rfc3339.prefix(19)) + "Z"
        xml.beginBenchmark(
            id: benchmarkID, title: report.title ?? "Managed policy of \(report.host.full)",
            version: report.policyDigest.map { String($0.hex.prefix(16)) } ?? "unknown", time: time,
            program: report.version)
        for rule in report.rules {
            let name = "\(rule.domain.string) \(rule.key.string.isEmpty ? "(any other key)" : rule.key.string)"
            xml.rule(
                id: XMLText.id("rule", RuleName.name(rule.domain, rule.key)), name, title: rule.title,
                controls: rule.controls)
        }
        if report.users.contains(where: { !$0.keys.isEmpty }) { results(time, ofWaivers: false) }
        // A result with one override may have no rule without: OpenSCAP takes that for an error.
        if report.users.contains(where: { $0.waivers.contains { $0.state == .inForce } }) {
            results(time, ofWaivers: true)
        }
        xml.end()
    }

    /// Adds the results of all keys, or those of all waivers.
    private mutating func results(_ time: String, ofWaivers: Bool) {
        let words = ofWaivers ? "Waivers" : "\(TextReport.verdict(of: report).words). \(report.logMeaning)"
        xml.begin(
            "TestResult",
            [
                ("id", XMLText.id("testresult", report.evidence.id + (ofWaivers ? "-waivers" : ""))),
                ("start-time", time), ("end-time", time),
                ("test-system", "mdefaults \(report.version)"), ("version", String(ReportSchema.version)),
            ])
        xml.element("benchmark", [("href", "#\(benchmarkID)"), ("id", benchmarkID)])
        xml.element("title", [], words)
        xml.element("target", [], report.host.full)
        xml.begin("target-facts")
        func fact(_ name: String, _ value: String?) {
            guard let value else { return }
            xml.element("fact", [("name", "urn:managed-defaults:\(name)"), ("type", "string")], value)
        }
        fact("machine", report.machine.id)
        fact("room", report.machine.room)
        fact("system", report.machine.system)
        fact("policy-digest", report.policyDigest?.hex)
        fact("complete", report.limits.isEmpty ? "yes" : "no")
        fact("log-head", report.evidence.head.map { "\($0.origin) \($0.size) \(Base64.encode($0.root.bytes))" })
        xml.end()
        for user in report.users {
            for key in ofWaivers ? [] : user.keys { result(of: key, user, time) }
            for waiver in ofWaivers ? user.waivers : [] where waiver.state == .inForce {
                result(of: waiver, user, time)
            }
        }
        let (covered, required) =
            ofWaivers
            ? (0, report.summary.requirements.waived)
            : (report.summary.requirements.met, report.summary.requirements.required)
        xml.element(
            "score", [("system", "urn:xccdf:scoring:flat-unweighted"), ("maximum", String(required))],
            String(covered))
        xml.end()
    }

    private mutating func result(of key: KeyCompliance, _ user: UserCompliance, _ time: String) {
        let word =
            switch key.state {
            case .met: "pass"
            case .notMet: "fail"
            case .unknown, .waived: "unknown"
            case .notApplicable: "notapplicable"
            }
        begin(key.entry.domain, key.entry.key, time)
        xml.element("result", [], word)
        let entry = key.entry
        let value = ReportValue.line(key)
        xml.element(
            "message", [("severity", word == "pass" ? "info" : "warning")],
            "\(key.sentence); required \(value) by \(report.root.display(entry.origin.file)):\(entry.origin.position.line)"
        )
        xml.element("instance", [("context", "user")], user.account.name)
        xml.check()
        xml.end()
    }

    /// A waived key: it would fail, and somebody has decided that it does not apply to the user.
    private mutating func result(of waiver: ResolvedWaiver, _ user: UserCompliance, _ time: String) {
        let own = waiver.waiver
        begin(own.domain, own.key, time)
        xml.element("result", [], "notapplicable")
        xml.begin(
            "override", [("time", time), ("authority", own.approvedBy.isEmpty ? own.origin.policy : own.approvedBy)])
        xml.element("old-result", [], "fail")
        xml.element("new-result", [], "notapplicable")
        let end = own.until.map { ", until \($0.rfc3339)" } ?? ", without end"
        xml.element("remark", [], "waived\(end): \(own.reason.isEmpty ? "no reason given" : own.reason)")
        xml.end()
        xml.element("instance", [("context", "user")], user.account.name)
        xml.check()
        xml.end()
    }

    private mutating func begin(_ domain: Key, _ key: Key, _ time: String) {
        xml.begin(
            "rule-result",
            [
                ("idref", XMLText.id("rule", RuleName.name(domain, key))), ("time", time), ("role", "full"),
                ("severity", "unknown"), ("weight", "1"),
            ])
    }
}
