import MDAuditClient
import MDPlatform
import MDPropertyList

/// Pictures, each with its numbers as text beside it.
extension HTMLReport {
    /// One part of a whole.
    private struct Share {
        let name: String
        let count: Int
        let color: String
    }

    /// Adds the donut of the three results.
    mutating func results() {
        let numbers = report.summary
        let shares = [
            Share(name: "observed: programs of the user asked since the boot", count: numbers.observed, color: "good"),
            Share(
                name: "written into programs' own files, effect not looked at", count: numbers.written, color: "link"),
            Share(name: "not covered: nothing here is known to enforce it", count: numbers.notCovered, color: "bad"),
            Share(
                name: "not known", count: numbers.unobserved + numbers.unknown, color: "none"),
        ].filter { $0.count > 0 }
        html.element(
            "p",
            "\(numbers.inForce) of \(numbers.keys) required keys, counted for each of "
                + "\(TextReport.count(numbers.users, "user")), are in force as written, by the word of this engine."
                + (numbers.broken > 0 ? " \(numbers.broken) are forced by an earlier version of a file." : "")
                + (numbers.waived > 0 ? " \(numbers.waived) are waived." : ""))
        guard !shares.isEmpty else { return }
        html.markup("<div class=\"charts\">")
        donut(shares)
        html.markup("<ul>")
        for share in shares {
            html.trusted("<li><span class=\"dot\" style=\"background:var(--\(share.color))\"></span>")
            html.text("\(share.count) \(share.name)")
            html.markup("</li>")
        }
        html.markup("</ul></div>\n")
    }

    private mutating func donut(_ shares: [Share]) {
        let total = shares.reduce(0) { $0 + $1.count }
        let names = shares.map { "\($0.count) \($0.name)" }.joined(separator: "; ")
        html.markup("<svg width=\"160\" height=\"160\" viewBox=\"0 0 42 42\" role=\"img\" aria-label=\"")
        html.text(names)
        html.markup("\">")
        var start = 0.0
        for share in shares {
            let length = Double(share.count) * 100 / Double(total)
            // The radius makes the circle 100 long.
            html.trusted(
                "<circle cx=\"21\" cy=\"21\" r=\"15.9155\" fill=\"none\" stroke=\"var(--\(share.color))\" "
                    + "stroke-width=\"6\" stroke-dasharray=\"\(Self.decimal(length)) \(Self.decimal(100 - length))\" "
                    + "stroke-dashoffset=\"\(Self.decimal(25 - start))\"></circle>")
            start += length
        }
        html.markup("</svg>\n")
    }

    /// Adds who tried, when and what.
    mutating func attempts() {
        let numbers = report.summary
        var words = "\(TextReport.count(numbers.attempts, "attempt")) on record"
        if numbers.dropped > 0 { words += ", \(numbers.dropped) more counted and not stored" }
        if numbers.unproven > 0 {
            words += ", \(numbers.unproven) more in users' homes, where the users can remove them (unproven)"
        }
        html.element("p", "\(words).")
        let records = report.attempts
        guard !records.isEmpty else { return }
        html.beginTable("Attempts by user, the most first", ["User", "Attempts", "Keys"])
        for item in report.attemptCounts { html.row([item.user, String(item.attempts), String(item.keys)]) }
        html.endTable()
        html.markup("<div class=\"charts\">")
        bars(
            "Attempts by day (UTC)", Self.counts(records) { $0.time.map { String($0.rfc3339.prefix(10)) } ?? "unknown" }
        )
        let keys = Self.counts(records) { "\($0.domain?.string ?? "?") \($0.key?.string ?? "?")" }
        bars("Keys with the most attempts", Array(keys.sorted { $0.count > $1.count }.prefix(10)))
        html.markup("</div>\n<details><summary>")
        html.text("All \(records.count) records of attempts")
        html.markup("</summary>\n")
        html.beginTable(
            "Override attempts, oldest first", ["Record", "Time", "User", "Program", "Domain", "Key", "What", "Policy"])
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
        guard let line = policy?.line else { return file }
        return "\(file):\(line)"
    }

    /// Counts attempts by a word, in order of the words.
    private static func counts(
        _ records: [AuditRecord], by word: (AuditRecord) -> String
    ) -> [(name: String, count: Int)] {
        var counts: [Key: Int] = [:]
        for record in records {
            let key = Key(word(record))
            // The log may have been altered, so a count may have any value.
            counts[key] = (counts[key] ?? 0).addingReportingOverflow(max(record.count ?? 1, 1)).partialValue
        }
        return counts.sorted { $0.key < $1.key }.map { ($0.key.string, $0.value) }
    }

    /// The most bars of a picture; of more days the last ones are shown, and the table has all.
    private static let barLimit = 31

    /// Adds a picture of horizontal bars with their names and numbers.
    private mutating func bars(_ title: String, _ items: [(name: String, count: Int)]) {
        let shown = items.suffix(HTMLReport.barLimit)
        let most = Double(shown.map(\.count).max() ?? 1)
        let cut = items.count - shown.count
        html.markup("<figure style=\"margin:0\"><figcaption>")
        html.text(cut > 0 ? "\(title), the last \(shown.count) of \(items.count)" : title)
        html.trusted("</figcaption><svg width=\"360\" height=\"\(shown.count * 34 + 4)\" role=\"img\" aria-label=\"")
        html.text(shown.map { "\($0.name): \($0.count)" }.joined(separator: "; "))
        html.trusted("\" viewBox=\"0 0 360 \(shown.count * 34 + 4)\">")
        for (index, item) in shown.enumerated() {
            let width = max(2, Double(max(item.count, 0)) * 300 / max(most, 1))
            html.trusted("<text x=\"0\" y=\"\(index * 34 + 12)\">")
            html.text(item.name.count > 52 ? "\(item.name.prefix(51))…" : item.name)
            html.trusted(
                "</text><rect x=\"0\" y=\"\(index * 34 + 17)\" width=\"\(Self.decimal(width))\" height=\"12\" "
                    + "fill=\"var(--link)\"></rect><text x=\"\(Self.decimal(width + 6))\" y=\"\(index * 34 + 27)\">"
                    + "\(item.count)</text>")
        }
        html.markup("</svg></figure>\n")
    }

    /// A number with two digits after the point.
    private static func decimal(_ number: Double) -> String {
        let hundredths = Int((number * 100).rounded())
        let digits = abs(hundredths) % 100
        return "\(hundredths < 0 ? "-" : "")\(abs(hundredths) / 100).\(digits < 10 ? "0" : "")\(digits)"
    }
}
