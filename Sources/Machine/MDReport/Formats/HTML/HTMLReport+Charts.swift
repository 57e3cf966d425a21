import MDAuditRecord
import MDCare
import MDPlatform
import MDPropertyList
import MDTools

/// Pictures, each with its numbers as text beside it.
extension HTMLReport {
    /// Adds the donut of the three results.
    mutating func results() {
        let numbers = report.summary
        html.element(
            "p",
            "\(numbers.inForce) of \(numbers.keys) required keys, counted for each of "
                + "\(Plural.count(numbers.users, "user")), are in force as written, by the word of this engine."
                + (numbers.broken > 0 ? " \(numbers.broken) are forced by an earlier version of a file." : "")
                + (numbers.waived > 0 ? " \(numbers.waived) \(numbers.waived == 1 ? "is" : "are") waived." : ""))
        html.donut([
            .init(name: "observed: programs of the user asked since the boot", count: numbers.observed, color: "good"),
            .init(
                name: "written into programs' own files, effect not looked at", count: numbers.written, color: "link"),
            .init(name: "not covered: nothing here is known to enforce it", count: numbers.notCovered, color: "bad"),
            .init(name: "not known", count: numbers.unobserved + numbers.unknown, color: "none"),
        ])
    }

    /// Adds the attempts by user, time and key.
    mutating func attempts() {
        let numbers = report.summary
        var words = "\(Plural.count(numbers.attempts, "attempt")) on record"
        if let claim = numbers.claim { words += " (\(claim))" }
        if numbers.dropped > 0 {
            let claim = numbers.claimOfDropped.map { " (\($0))" } ?? ""
            words += ", \(numbers.dropped) more counted and not stored\(claim)"
        }
        if numbers.unproven > 0 {
            words += ", \(numbers.unproven) more in users' homes, where the users can remove them (unproven)"
        }
        html.element("p", "\(words)\(report.comparison.map { "; \($0)" } ?? "").")
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
            html.beginTable("Attempts by \(what), the most first", [column, "Attempts", "Keys"])
            for item in counts { html.row([item.name, String(item.attempts), String(item.keys)]) }
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
                String(record.seq), record.time.map(TextReport.time) ?? "unknown",
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
