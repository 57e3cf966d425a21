import MDAuditClient
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPropertyList

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
        page.foot()
        return page.html.bytes
    }

    private init(report: ComplianceReport) {
        self.report = report
    }

    /// The title of the report.
    private var title: String { report.title ?? "Compliance report" }

    private mutating func head() {
        html.markup(
            """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width,initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none';style-src 'unsafe-inline';\
            script-src 'unsafe-inline'">

            """)
        html.element("title", "\(title): \(report.host.full)")
        html.markup("\n<style>\n")
        html.markup(HTMLStyle.sheet)
        // The header of each printed page; a string of CSS, in which nothing but letters, digits and signs is left.
        let name = report.host.full.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") }
        html.trusted(
            "@page{size:A4;margin:20mm 15mm;@top-left{content:\"Compliance report of \(name)\"}"
                + "@top-right{content:\"\(TextReport.time(report.generated))\"}"
                + "@bottom-right{content:counter(page) \" of \" counter(pages)}}\n</style></head>\n<body>\n")
        html.markup("<a class=\"skip\" href=\"#results\">To the results</a>\n<header>")
        html.element("h1", title)
        html.markup("<dl class=\"facts\">")
        fact("Machine", report.host.full)
        if !report.root.isSystem { fact("Folder", report.root.path) }
        fact("Made", "\(TextReport.time(report.generated)), by this machine's clock, mdefaults \(report.version)")
        if report.since != nil || report.until != nil {
            let since = report.since.map { "from \(TextReport.time($0))" }
            let until = report.until.map { "until \(TextReport.time($0))" }
            fact("Attempts", [since, until].compactMap(\.self).joined(separator: " "))
        }
        fact("Policy", report.isManaged ? TextReport.count(report.files.count, "file") : "none")
        if report.isManaged { fact("Digest", report.policyDigest?.hex ?? "not known") }
        html.markup("</dl></header>\n<main>\n")
    }

    private mutating func fact(_ name: String, _ text: String) {
        html.element("dt", name)
        html.element("dd", text)
    }

    private mutating func firstPage() {
        verdict()
        html.markup("<h2 id=\"results\">Results</h2>\n")
        results()
        findings("To do", of: [.error])
        uncovered()
        html.markup("<h2>Override attempts</h2>\n")
        attempts()
        hidden()
        changes()
        html.markup("<h2>Audit log</h2>\n")
        html.element("p", TextReport.logState(of: report.log))
        html.markup("<h2>What could not be looked at</h2>\n")
        if report.limits.isEmpty {
            html.element("p", "Nothing: every user's preference files, all policy and the audit log were read.")
        } else {
            html.markup("<ul>")
            for limit in report.limits { html.element("li", limit) }
            html.markup("</ul>\n")
        }
        html.markup("<h2>Limits of this report</h2>\n")
        html.element("p", ComplianceReport.limitsOfMethod)
        html.markup(
            """
            <div class="sign"><p>Date, name and signature of who made it</p>\
            <p>Date, name and signature of who checked it</p></div>

            """)
    }

    private mutating func verdict() {
        let (words, sentence) = TextReport.verdict(of: report)
        let kind =
            switch report.verdict {
            case .compliant: "good"
            case .notCovered, .nothing: "warn"
            case .notCompliant: "bad"
            }
        html.trusted("<div class=\"verdict \(kind)\">")
        html.element("strong", words)
        html.text(sentence)
        if let rates = report.rates {
            html.text(" Covered: \(rates.raw) of required keys; with waivers \(rates.withWaivers).")
        }
        html.markup("</div>\n")
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
        html.beginTable("Domains that nothing here is known to enforce", ["Domain", "Keys", "Users"])
        for item in domains { html.row([item.domain.string, String(item.keys), String(item.users)]) }
        html.endTable()
    }

    private mutating func hidden() {
        let users = report.users.map { ($0.account.name, $0.keys.count { $0.isHiding }) }.filter { $0.1 > 0 }
        guard !users.isEmpty else { return }
        html.markup("<h2>Hidden values</h2>\n")
        html.beginTable("Values that users have stored and that forced ones hide", ["User", "Keys"])
        for (name, count) in users { html.row([name, String(count)]) }
        html.endTable()
    }

    private mutating func changes() {
        guard !report.changes.isEmpty else { return }
        html.markup("<h2>Changes of policy</h2>\n")
        html.beginTable("Changes on record, the newest first", ["Record", "Time", "What"])
        for record in report.changes.reversed() {
            html.row([
                String(record.seq), record.time.map(TextReport.time) ?? "unknown", report.words(of: record),
            ])
        }
        html.endTable()
    }

    private mutating func annex() {
        html.markup("<div class=\"annex\">\n")
        findings("Findings", of: Set(FindingSeverity.allCases).subtracting([.error]))
        keys()
        policyFiles()
        html.markup("</div>\n")
    }

    private mutating func foot() {
        html.markup("</main>\n<footer class=\"soft\">")
        html.text("Made by mdefaults \(report.version). The file loads nothing from anywhere.")
        html.markup("</footer>\n<script>\n")
        html.markup(HTMLStyle.script)
        html.markup("</script></body></html>\n")
    }
}
