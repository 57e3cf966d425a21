import MDAuditClient
import MDAuditRecord
import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPropertyList
import MDTools

/// Writes a compliance report as one HTML file that needs no network, and no script to be read.
package struct HTMLReport {
    let report: ComplianceReport
    var html = HTMLWriter()

    /// The file as UTF-8.
    ///
    /// Complexity: O(different keys + stored values + attempts): users with the same entries share a table.
    package static func render(_ report: ComplianceReport) -> [UInt8] {
        var page = HTMLReport(report: report)
        page.head()
        page.firstPage()
        page.annex()
        page.html.end(version: report.version)
        return ReportSeal.sealed(page: page.html.bytes)
    }

    private init(report: ComplianceReport) {
        self.report = report
    }

    /// The title of the report.
    private var title: String { report.title ?? "Compliance report" }

    private mutating func head() {
        var facts: [(String, String)] = []
        facts.append(("Machine", report.host.full + (report.machine.room.map { ", \($0)" } ?? "")))
        if let system = report.machine.system { facts.append(("System", system)) }
        if !report.root.isSystem { facts.append(("Folder", report.root.path)) }
        facts.append(
            ("Made", "\(ReportTime.words(report.generated)), \(report.clock.words), mdefaults \(report.version)"))
        if report.since != nil || report.until != nil {
            let since = report.since.map { "from \(ReportTime.words($0))" }
            let until = report.until.map { "until \(ReportTime.words($0))" }
            facts.append(("Attempts", [since, until].compactMap(\.self).joined(separator: " ")))
        }
        facts.append(("Users", "\(report.users.count): \(report.people.words)"))
        facts.append(("Policy", report.isManaged ? Plural.count(report.files.count, "file") + report.notNow : "none"))
        if report.isManaged { facts.append(("Policy digest", report.policyDigest?.hex ?? "not known")) }
        facts.append(("Report", report.evidence.id))
        html.begin(title: title, subject: report.host.full, time: ReportTime.words(report.generated), facts: facts)
    }

    private mutating func firstPage() {
        verdict()
        html.markup("<h2 id=\"results\">Results</h2>\n")
        results()
        findings("To do", of: [.error])
        uncovered()
        controls()
        html.markup("<h2>Override attempts</h2>\n")
        attempts()
        hidden()
        waivers()
        baseline()
        changes()
        claims()
        html.markup("<h2>Audit log</h2>\n")
        html.element("p", report.logMeaning)
        html.element("p", TextReport.logState(of: report.log))
        html.markup("<h2>What could not be looked at</h2>\n")
        if report.limits.isEmpty {
            html.element("p", "Nothing was left out: \(report.wasRead) were read.")
        } else {
            html.markup("<ul>")
            for limit in report.limits { html.element("li", limit) }
            html.markup("</ul>\n")
        }
        html.markup("<h2>Limits of this report</h2>\n")
        html.element("p", ComplianceReport.limitsOfMethod)
        html.signatures()
    }

    private mutating func verdict() {
        let (words, sentence) = report.verdictWords
        let kind: StaticString =
            switch report.verdict {
            case .compliant: "good"
            case .notCovered, .notLookedAt, .nothing, .asIf: "warn"
            case .notCompliant: "bad"
            }
        html.verdict(words, sentence + (report.share.map { " Met: \($0)." } ?? ""), kind: kind)
    }

    private mutating func findings(_ title: String, of severities: Set<FindingSeverity>) {
        let findings = report.findings.filter { severities.contains($0.severity) }
        guard !findings.isEmpty else { return }
        html.element("h2", title)
        html.markup("<ul class=\"findings\">\n")
        for finding in findings {
            html.markup("<li>")
            html.element("strong", finding.severity.rawValue)
            var place = finding.file ?? ""
            if let position = finding.position, !place.isEmpty { place += position.isBinary ? "" : ":\(position.line)" }
            let user = finding.user.map { " of \($0)" } ?? ""
            html.text("\(user): \(finding.message).\(place.isEmpty ? "" : " In \(place)")")
            html.markup("</li>\n")
        }
        html.markup("</ul>\n")
    }

    private mutating func uncovered() {
        let domains = report.uncoveredDomains
        guard !domains.isEmpty else { return }
        html.markup("<h2>Not covered</h2>\n")
        html.beginTable("Domains that nothing here is known to enforce", ["Domain", "Keys", "Users"], short: [1])
        for item in domains { html.row([item.domain.string, String(item.keys), String(item.users)]) }
        html.endTable()
    }

    private mutating func hidden() {
        let users = report.users.map { ($0.account.name, $0.share != nil ? 0 : $0.keys.count { $0.isHiding }) }.filter {
            $0.1 > 0
        }
        guard !users.isEmpty else { return }
        html.markup("<h2>Hidden values</h2>\n")
        html.beginTable("Values that users have stored and that forced ones hide", ["User", "Keys"])
        for (name, count) in users { html.row([name, String(count)]) }
        html.endTable()
    }

    private mutating func changes() {
        if report.history.changes.isEmpty && report.generations.isEmpty { return }
        html.markup("<h2>Changes</h2>\n")
        html.table(
            "Generations of policy, the newest first", ["Number", "Time", "By", "Why", "What"], short: [1, 2, 3],
            report.generations.reversed().map { generation in
                [
                    String(generation.number), ReportTime.words(generation.time), generation.who, generation.reason,
                    generation.changes.joined(separator: ", "),
                ]
            })
        if report.history.changes.isEmpty { return }
        html.element("p", "\(report.changeCounts).")
        html.beginTable(
            "Changes on record, the newest first", ["Record", "Time", "Why", "What"], short: [1, 2, 3],
            rows: report.history.changes.count)
        for change in report.history.changes.reversed() {
            html.row([
                String(change.record.seq), change.record.time.map(ReportTime.words) ?? "unknown", change.kind.rawValue,
                report.words(of: change.record),
            ])
        }
        html.endTable()
    }

    private mutating func claims() {
        html.table(
            "Claims that only users' own programs make, the newest first", ["Record", "Time", "What"], short: [1, 2],
            report.history.claims.reversed().map { record in
                [String(record.seq), record.time.map(ReportTime.words) ?? "unknown", report.words(of: record)]
            })
    }

    private mutating func waivers() {
        let waivers = report.waivers
        guard !waivers.isEmpty else { return }
        html.markup("<h2>Waivers</h2>\n")
        html.beginTable(
            "Waivers, the expired ones first", ["User", "Domain", "Key", "State", "Until", "Reason", "Approved by"],
            short: [1, 2, 3, 4, 5], rows: waivers.count)
        for (user, waiver) in waivers {
            let own = waiver.waiver
            html.row([
                user, own.domain.string, own.key.string, waiver.state.rawValue, own.until.map(ReportTime.words) ?? "",
                own.reason, own.approvedBy,
            ])
        }
        html.endTable()
    }

    private mutating func baseline() {
        guard let baseline = report.baseline else { return }
        html.element("h2", "Since the report of \(ReportTime.words(baseline.generated))")
        let counts = ReportBaseline.Difference.Kind.allCases.filter { baseline.count($0) > 0 }
            .map { "\(Plural.count(baseline.count($0), "key")) \($0.rawValue)" }
        let keys = counts.isEmpty ? "Every key of every user is as it was" : counts.joined(separator: ", ")
        html.element(
            "p",
            "\(keys). \(Plural.count(baseline.attempts, "attempt")) then, \(report.summary.attempts) now. It was the "
                + "report \(baseline.id).")
        html.table(
            "Keys that are not as they were", ["User", "Domain", "Key", "Difference"],
            baseline.differences.map { [$0.user.string, $0.domain.string, $0.key.string, $0.kind.rawValue] })
    }

    private mutating func controls() {
        let controls = report.controls
        guard !controls.isEmpty else { return }
        html.markup("<h2>Controls</h2>\n")
        html.beginTable(
            "Controls, and how many of their requirements are met",
            ["Control", "Keys", "Required", "Met", "Not met", "Unknown", "Waived", "Result"])
        for control in controls {
            let counts = control.requirements
            let numbers = [control.keys, counts.required, counts.met, counts.notMet, counts.unknown, counts.waived]
            html.row([control.key.string] + numbers.map { String($0) } + [control.state.rawValue])
        }
        html.endTable()
    }

    private mutating func annex() {
        html.markup("<div class=\"annex\">\n")
        findings("Findings", of: Set(FindingSeverity.allCases).subtracting([.error]))
        keys()
        policyFiles()
        ways()
        html.markup("</div>\n")
    }
}
