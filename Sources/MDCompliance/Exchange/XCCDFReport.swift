import MDAuditClient
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPropertyList

/// Writes a report as a benchmark of XCCDF 1.2 with its results, one for each key of each user.
///
/// Source: NIST IR 7275 revision 4
package struct XCCDFReport {
    private let report: ComplianceReport
    private var xml = XMLText()

    private static let space = "org.manageddefaults"
    /// The system of controls as identifiers; whose they are, their names say.
    private static let controls = "urn:managed-defaults:control"

    package static func render(_ report: ComplianceReport) -> [UInt8] {
        var document = XCCDFReport(report: report)
        document.benchmark()
        return Array(document.xml.text.utf8)
    }

    private init(report: ComplianceReport) {
        self.report = report
    }

    private static func id(_ kind: String, _ name: String) -> String { "xccdf_\(space)_\(kind)_\(name)" }

    private var benchmarkID: String {
        XCCDFReport.id("benchmark", "policy-\(report.policyDigest?.hex.prefix(16) ?? "unknown")")
    }

    private mutating func benchmark() {
        let time = String(report.generated.rfc3339.prefix(19)) + "Z"
        xml.begin(
            "Benchmark",
            [
                ("xmlns", "http://checklists.nist.gov/xccdf/1.2"), ("id", benchmarkID), ("resolved", "1"),
                ("xml:lang", "en"),
            ])
        xml.element("status", [("date", String(time.prefix(10)))], "accepted")
        xml.element("title", [], report.title ?? "Managed policy of \(report.host.full)")
        xml.element("description", [], ComplianceReport.limitsOfMethod)
        xml.element("platform", [("idref", "cpe:/o:linux:linux_kernel")])
        xml.element("version", [], report.policyDigest.map { String($0.hex.prefix(16)) } ?? "unknown")
        xml.begin("metadata")
        xml.element("dc:creator", [("xmlns:dc", "http://purl.org/dc/elements/1.1/")], "mdefaults \(report.version)")
        xml.end()
        for rule in report.rules { self.rule(rule) }
        if report.users.contains(where: { !$0.keys.isEmpty }) { results(time, ofWaivers: false) }
        // A result with one override may have no rule without: OpenSCAP takes that for an error.
        if report.users.contains(where: { $0.waivers.contains { $0.state == .inForce } }) {
            results(time, ofWaivers: true)
        }
        xml.end()
    }

    private mutating func rule(_ rule: RuleSummary) {
        let name = "\(rule.domain.string) \(rule.key.string.isEmpty ? "(any other key)" : rule.key.string)"
        xml.begin(
            "Rule",
            [
                ("id", XCCDFReport.id("rule", RuleName.name(rule.domain, rule.key))), ("selected", "true"),
                ("severity", "unknown"),
            ])
        xml.element("title", [], rule.title.isEmpty ? name : rule.title)
        xml.element("description", [], "\(name) is forced by policy.")
        for control in rule.controls { xml.element("ident", [("system", XCCDFReport.controls)], control) }
        check()
        xml.end()
    }

    /// Adds the results of all keys, or those of all waivers.
    private mutating func results(_ time: String, ofWaivers: Bool) {
        let words = ofWaivers ? "Waivers" : "\(TextReport.verdict(of: report).words). \(report.logMeaning)"
        xml.begin(
            "TestResult",
            [
                ("id", XCCDFReport.id("testresult", report.evidence.id + (ofWaivers ? "-waivers" : ""))),
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
        fact("log-head", report.evidence.head.map { "\($0.origin) \($0.size) \(Base64.encode($0.root.bytes))" })
        xml.end()
        for user in report.users {
            for key in ofWaivers ? [] : user.keys { result(of: key, user, time) }
            for waiver in ofWaivers ? user.waivers : [] where waiver.state == .inForce {
                result(of: waiver, user, time)
            }
        }
        let (covered, required) = ofWaivers ? (0, report.summary.waived) : (report.summary.covered, report.summary.keys)
        xml.element(
            "score", [("system", "urn:xccdf:scoring:flat-unweighted"), ("maximum", String(required))],
            String(covered))
        xml.end()
    }

    private mutating func result(of key: KeyCompliance, _ user: UserCompliance, _ time: String) {
        let word =
            switch key.coverage {
            case _ where !key.isKnown: "unknown"
            case _ where !key.isInForce: "fail"
            case .asked, .written: "pass"
            case .none: "fail"
            case .unknown: "unknown"
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
        check()
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
        check()
        xml.end()
    }

    /// Adds how it was checked: by this program, in no language of checks.
    private mutating func check() {
        xml.begin("check", [("system", "urn:managed-defaults:report")])
        xml.element("check-content-ref", [("href", "urn:managed-defaults:policy")])
        xml.end()
    }

    private mutating func begin(_ domain: Key, _ key: Key, _ time: String) {
        xml.begin(
            "rule-result",
            [
                ("idref", XCCDFReport.id("rule", RuleName.name(domain, key))), ("time", time), ("role", "full"),
                ("severity", "unknown"), ("weight", "1"),
            ])
    }
}
