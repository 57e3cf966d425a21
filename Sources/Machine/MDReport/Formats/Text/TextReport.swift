import MDAuditReading
import MDCare
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList
import MDTools

/// Formats a compliance report for people: 80 columns wide, grouped by user.
///
/// Keys that are forced alike for all users come once, before the users.
package struct TextReport: TextPage {
    /// The report.
    let report: ComplianceReport
    /// The lines so far.
    package var lines: [String] = []

    /// The report as text that ends with a line feed.
    ///
    /// - Parameters:
    ///   - report: the report.
    ///   - isSummary: whether only the first page is wanted.
    ///   - grouping: by what the keys come after the first page.
    /// - Returns: the text.
    package static func render(
        _ report: ComplianceReport, isSummary: Bool = false, by grouping: ReportGrouping = .user
    ) -> String {
        var text = TextReport(report: report)
        text.header()
        text.firstPage()
        if !isSummary {
            text.findings()
            text.policyFiles()
            if grouping == .user { text.usersAndKeys() } else { text.groups(by: grouping) }
            text.ways()
        }
        text.line()
        return ReportSeal.sealed(text: text.text)
    }

    /// Makes an empty text.
    private init(report: ComplianceReport) {
        self.report = report
    }
}

extension TextReport {
    /// Adds title, machine, time, version, policy and verdict.
    private mutating func header() {
        let title = report.title.map(Printable.escape) ?? "Compliance report"
        self.title(title)
        let place = report.root.isSystem ? "" : " (the folder \(Printable.escape(report.root.path)))"
        fact("Report", report.evidence.id)
        let room = report.machine.room.map { ", \(Printable.escape($0))" } ?? ""
        fact("Machine", Printable.escape(report.host.full) + room + place)
        fact("Made", "\(ReportTime.words(report.generated)) (\(report.clock.words)) by mdefaults \(report.version)")
        if report.since != nil || report.until != nil {
            let since = report.since.map { "from \(ReportTime.words($0))" }
            let until = report.until.map { "until \(ReportTime.words($0))" }
            fact("Attempts", [since, until].compactMap(\.self).joined(separator: " "))
        }
        fact("Users", "\(report.users.count): \(report.people.words)")
        guard report.isManaged else {
            fact("Policy", "none: /etc, /run and /var/lib have no managed-defaults")
            result()
            completeness()
            return
        }
        let broken = report.summary.brokenFiles
        let unread = isPolicyKnown ? "" : ", and not all of policy could be read"
        let remark = (broken == 0 ? "" : ", \(broken) of them not in force as written") + unread
        fact("Policy", Plural.count(report.files.count, "file") + remark + report.notNow)
        fact("Digest", report.policyDigest?.hex ?? "not known")
        result()
        completeness()
    }

    /// Whether all of policy could be read for everybody's programs.
    var isPolicyKnown: Bool { report.users.allSatisfy(\.knowledge.isDecisive) }

    /// Adds what could not be inspected.
    private mutating func completeness() {
        if report.limits.isEmpty {
            fact("Complete", "yes: \(report.wasRead) were read")
        } else {
            fact("Complete", "no:")
            for limit in report.limits { paragraph(limit, first: "          - ", indent: 12) }
        }
    }

    /// Adds the findings.
    private mutating func findings() {
        // The first page has the errors.
        let errors = report.findings.count { $0.severity == .error }
        let findings = report.findings.dropFirst(min(errors, TextReport.listed))
        guard !findings.isEmpty else { return }
        heading("Findings")
        for finding in findings { self.finding(finding) }
    }

    /// Adds a finding.
    mutating func finding(_ finding: Finding) {
        var place = finding.file.map(Printable.escape) ?? ""
        if let position = finding.position, !place.isEmpty {
            place += position.isBinary ? ", \(position)" : ":\(position)"
        }
        let user = finding.user.map { "of \(Printable.escape($0)): " } ?? ""
        let message = "\(user)\(Printable.escape(finding.message))."
        let text = place.isEmpty ? message : finding.user == nil ? "\(place): \(message)" : "\(place), \(message)"
        paragraph(text, first: TextReport.pad(finding.severity.rawValue, 9))
    }

    /// Adds the policy files, whose short names are in the tables of keys.
    private mutating func policyFiles() {
        guard !report.files.isEmpty else { return }
        heading("Policy files, in the order in which they apply")
        let width = report.files.map { fileName($0.path).count }.max() ?? 0
        let notNow = Dictionary(report.filesNotNow.map { (Key($0.path), $0) }) { first, _ in first }
        for file in report.files {
            let name = TextReport.pad(fileName(file.path), width)
            let state =
                switch file.source {
                case .current: ""
                case .lastGood: "LAST GOOD COPY: "
                case .removed: "REMOVED, IN FORCE UNTIL POLICY APPLY: "
                case .notRecorded, .none: "NOT IN FORCE: "
                }
            let version = file.policy?.version.map { ", version \($0)" } ?? ""
            let summary = file.policy?.summary ?? ""
            let identity = file.policy.map { Printable.escape($0.identifier) + version } ?? "cannot be used"
            let description = summary.isEmpty ? "" : ". \(Printable.escape(summary))"
            let time = notNow[Key(file.path)].map { "NOT NOW (\(Plural.count($0.keys, "key"))): " } ?? ""
            paragraph("\(state)\(time)\(identity)\(description)", first: "  \(name)  ")
            if let own = notNow[Key(file.path)] {
                paragraph("\(Printable.escape(own.reason)).", first: String(repeating: " ", count: width + 4))
            }
        }
        let folder = Printable.escape(report.root.display("/etc/managed-defaults/policies.d"))
        let hasRun = report.files.contains { $0.path.hasPrefix("/run/") }
        let temporary =
            hasRun
            ? "; those with run/ in \(Printable.escape(report.root.display("/run/managed-defaults/policies.d")))" : ""
        paragraph("In \(folder)\(temporary).", first: "  ")
    }

    /// Adds the ways around policy, which are no results.
    private mutating func ways() {
        guard !report.ways.isEmpty else { return }
        heading("Ways around the policy of programs")
        paragraph(HardeningWay.summary(of: report.ways), first: "  ")
        for way in report.ways { paragraph(way.detail, first: TextReport.pad("  \(way.state.words)", 17)) }
    }

    /// The short name of a policy file: its name, with `run/` before one of the temporary directory.
    func fileName(_ path: String) -> String { TextReport.fileName(path) }

    /// The short name of a policy file: its name, with `run/` before one of the temporary directory.
    static func fileName(_ path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return (path.hasPrefix("/run/") ? "run/" : "") + Printable.escape(name)
    }

    /// Adds the result of checking the audit log.
    mutating func log() {
        heading("Audit log")
        paragraph(report.logMeaning, first: "  ")
        paragraph(TextReport.logState(of: report.log), first: "  ")
    }

    /// The result of checking the audit log, in sentences.
    static func logState(of log: LogCompliance) -> String {
        let state =
            switch log.status {
            case .intact: "intact, \(Plural.count(log.records, "record"))"
            case .gaps: "intact with declared gaps, \(Plural.count(log.records, "record"))"
            case .altered: "ALTERED"
            case .truncated: "TRUNCATED"
            case .unchecked: "NOT CHECKED"
            case nil: "empty"
            }
        let dropped =
            log.dropped > 0 ? " \(Plural.count(log.dropped, "record was", "records were")) counted and not stored." : ""
        return "\(state). \(Printable.escape(log.detail))\(dropped)"
    }
}
