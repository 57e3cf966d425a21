import MDPlatform
import MDPolicyModel
import MDPropertyList

/// Writes results as a table for spreadsheets: the machine, or all machines, in the first lines, then a line for each
/// requirement of a user, or for each machine and each rule that does not hold on it.
package enum CSVDocument {
    /// The names of the columns; new ones come at the end.
    package static let columns =
        [
            "host", "room", "user", "uid", "rule", "result", "severity", "words", "since", "domain", "key", "title",
            "controls",
        ] + ResultDetail.allCases.map(\.rawValue)

    /// The table, with CR LF at the end of each line.
    package static func pieces(_ table: ResultTable) -> DocumentPieces {
        DocumentPieces([Array(CSVTable.line(columns).utf8)], table.parts.lazy.map { lines($0, table) })
    }

    private static func lines(_ rows: [ResultRow], _ table: ResultTable) -> [UInt8] {
        var text = ""
        for row in rows {
            let (rule, subject) = (table.rules[row.rule], row.subject)
            text += CSVTable.line(
                [
                    subject.host, subject.room, subject.user, subject.uid.map { String($0) } ?? "", rule.words,
                    row.state.rawValue, rule.severity.rawValue, row.words, row.since?.rfc3339 ?? "",
                    rule.domain.string, rule.key.string, rule.title, rule.controls.joined(separator: "; "),
                ] + ResultDetail.allCases.map { row.detail($0) })
        }
        return Array(text.utf8)
    }
}
