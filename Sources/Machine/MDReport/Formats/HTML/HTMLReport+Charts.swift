import MDAuditRecord
import MDCare
import MDPlatform
import MDPropertyList
import MDTools

/// Pictures, each with its numbers as text beside it.
extension HTMLReport {
    /// Adds the donut of the requirements by what is known of them.
    mutating func results() {
        let numbers = report.summary
        let counts = numbers.requirements
        html.element(
            "p",
            "\(counts.words) requirements, counted for each of \(Plural.count(numbers.users, "user")), are met."
                + (counts.notApplicable > 0
                    ? " \(counts.notApplicable) more are for programs that are not installed, and count nowhere." : ""))
        let colors: [RequirementState: String] = [
            .met: "good", .notMet: "bad", .unknown: "warn", .waived: "link",
        ]
        html.donut(
            RequirementReason.allCases.compactMap { reason -> HTMLWriter.Share? in
                guard let color = colors[reason.state], numbers.reasons[reason] > 0 else { return nil }
                let name = "\(reason.state.rawValue)\(reason == .waived ? "" : ", \(reason.rawValue)"): \(reason.words)"
                return .init(name: name, count: numbers.reasons[reason], color: color)
            })
    }

    /// Adds the attempts by user, time and key.
    mutating func attempts() {
        let numbers = report.summary
        var words = "\(Plural.count(numbers.attempts, "attempt")) on record"
        if numbers.dropped > 0 { words += ", \(numbers.dropped) more counted and not stored" }
        if numbers.unproven > 0 {
            words += ", \(numbers.unproven) more in users' homes, where the users can remove them (unproven)"
        }
        html.element("p", "\(words)\(report.comparison.map { "; \($0)" } ?? "").")
        for claim in [numbers.claim, numbers.claimOfDropped].compactMap(\.self) { html.element("p", "\(claim).") }
        let tally = report.tally
        guard tally.records > 0 else { return }
        html.markup("<div class=\"charts\">")
        html.bars("Attempts by day (this machine's time)", tally.byDay.map { ($0.day, $0.attempts) })
        html.bars(
            HTMLWriter.title("Keys with the most attempts", first: 10, of: tally.byKey.count),
            tally.byKey.prefix(10).map { ($0.place.words, $0.attempts) })
        html.hours(
            "Attempts by room and hour (this machine's time)", [(report.machine.room ?? report.host.short, tally.hours)]
        )
        html.markup("</div>\n")
        if tally.byDay.count > HTMLWriter.barLimit {
            html.markup("<details><summary>")
            html.text("Attempts on all \(tally.byDay.count) days")
            html.markup("</summary>\n")
            html.table("Attempts by day", ["Day", "Attempts"], tally.byDay.map { [$0.day, String($0.attempts)] })
            html.markup("</details>\n")
        }
        let lists = [
            ("user", "User", tally.byUser), ("program", "Program", tally.byProgram), ("way", "Way", tally.byWay),
        ]
        for (what, column, counts) in lists {
            html.beginTable("Attempts by \(what), the most first", [column, "Attempts", "Claimed", "Keys"])
            for item in counts {
                html.row([item.name, String(item.attempts), String(item.claimed), String(item.keys)])
            }
            html.endTable()
        }
        let records = report.attempts
        html.markup("<details><summary>")
        html.text("All \(records.count) records of attempts")
        html.markup("</summary>\n")
        html.beginTable(
            "Override attempts, oldest first",
            ["Record", "Time", "User", "Program", "Domain", "Key", "What", "Policy"], short: [1, 2, 3],
            rows: records.count)
        for record in records {
            html.row([
                String(record.seq), record.time.map(ReportTime.words) ?? "unknown",
                record.user ?? record.uid.map { "uid \($0)" } ?? "unknown", record.exe ?? "",
                record.domain?.string ?? "", record.key?.string ?? "", TextReport.what(record),
                HTMLReport.place(record.policy),
            ])
        }
        html.endTable()
        html.markup("</details>\n")
    }

    /// The file and line of a record's policy.
    private static func place(_ policy: PolicyReference?) -> String {
        guard let file = policy?.file else { return "" }
        let name = TextReport.fileName(file)
        return policy?.line.map { "\(name):\($0)" } ?? name
    }
}
