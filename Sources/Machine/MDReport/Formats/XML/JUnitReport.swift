import MDAuditReading
import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPropertyList

/// Writes a report as the results of tests, one for each key of each user, for the tools that build and test.
///
/// Source: <https://github.com/testmoapp/junitxml>
package enum JUnitReport {
    package static func render(_ report: ComplianceReport) -> [UInt8] {
        var xml = XMLText()
        let errors = report.findings.filter { $0.severity == .error }
        let keys = report.users.flatMap(\.keys)
        let time = String(report.generated.rfc3339.prefix(19))
        xml.begin(
            "testsuites",
            [
                ("name", report.title ?? "Compliance of \(report.host.full)"),
                ("tests", String(keys.count + report.summary.requirements.waived + errors.count)),
                ("failures", String(keys.count { $0.state == .notMet } + errors.count)),
                ("errors", String(keys.count { !$0.isKnown })), ("skipped", String(report.summary.requirements.waived)),
            ])
        xml.begin(
            "testsuite",
            [
                ("name", "machine"), ("hostname", report.host.full), ("timestamp", time), ("id", report.evidence.id),
                ("tests", String(errors.count)), ("failures", String(errors.count)), ("errors", "0"), ("skipped", "0"),
            ])
        xml.begin("properties")
        for (name, value) in [
            ("result", report.verdict.rawValue), ("policyDigest", report.policyDigest?.hex ?? "not known"),
            ("log", report.log.status?.rawValue ?? "none"), ("complete", report.limits.isEmpty ? "yes" : "no"),
        ] {
            xml.element("property", [("name", name), ("value", value)])
        }
        xml.end()
        for finding in errors {
            xml.begin("testcase", [("classname", finding.code), ("name", finding.file ?? finding.user ?? "machine")])
            xml.element("failure", [("type", finding.code), ("message", finding.message)])
            xml.end()
        }
        xml.end()
        for user in report.users { suite(user, report, time, &xml) }
        xml.end()
        return Array(xml.text.utf8)
    }

    private static func suite(
        _ user: UserCompliance, _ report: ComplianceReport, _ time: String, _ xml: inout XMLText
    ) {
        let waivers = user.waivers.filter { $0.state == .inForce }
        xml.begin(
            "testsuite",
            [
                ("name", user.account.name), ("hostname", report.host.full), ("timestamp", time),
                ("tests", String(user.keys.count + waivers.count)),
                ("failures", String(user.keys.count { $0.state == .notMet })),
                ("errors", String(user.keys.count { !$0.isKnown })), ("skipped", String(waivers.count)),
            ])
        for key in user.keys {
            let attributes = [
                ("classname", "\(user.account.name).\(key.entry.domain.string)"),
                ("name", key.entry.key.string.isEmpty ? "(any other key)" : key.entry.key.string),
            ]
            if key.state == .met {
                xml.element("testcase", attributes)
                continue
            }
            xml.begin("testcase", attributes)
            xml.element(
                key.isKnown ? "failure" : "error", [("type", key.coverage.word), ("message", key.sentence)],
                "\(report.root.display(key.entry.origin.file)):\(key.entry.origin.position.line)")
            xml.end()
        }
        for waiver in waivers {
            let own = waiver.waiver
            xml.begin(
                "testcase",
                [("classname", "\(user.account.name).\(own.domain.string)"), ("name", own.key.string)])
            let end = own.until.map { " until \($0.rfc3339)" } ?? ""
            xml.element("skipped", [("message", "waived\(end): \(own.reason), approved by \(own.approvedBy)")])
            xml.end()
        }
        xml.end()
    }
}
