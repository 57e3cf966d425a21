import MDEngine
import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPropertyList

/// Writes the keys of a compliance report as a table for spreadsheets: RFC 4180, UTF-8, one line for a key of a user.
///
/// A cell that a spreadsheet would take for a formula begins with an apostrophe.
///
/// Source: <https://www.rfc-editor.org/rfc/rfc4180>, <https://owasp.org/www-community/attacks/CSV_Injection>
package enum CSVReport {
    /// The names of the columns; new ones come at the end.
    package static let columns = [
        "host", "user", "uid", "domain", "key", "required", "in force", "coverage", "enforced by", "source", "stored",
        "file", "line", "sha256", "controls", "title", "waived until", "waiver reason",
    ]

    /// The table, with CR LF at the end of each line.
    package static func render(_ report: ComplianceReport) -> [UInt8] {
        var text = line(columns)
        for user in report.users {
            for key in user.keys { text += line(cells(key, of: user, report)) }
            for waiver in user.waivers where waiver.state == .inForce { text += line(cells(waiver, of: user, report)) }
        }
        return Array(text.utf8)
    }

    private static func cells(_ key: KeyCompliance, of user: UserCompliance, _ report: ComplianceReport) -> [String] {
        let entry = key.entry
        let stored = key.stored.map { ReportValue.line($0.value, isSensitive: key.isSensitive) }
        let programs =
            switch key.coverage {
            case .asked(let names), .written(let names): names.joined(separator: "; ")
            case .none, .unknown: ""
            }
        return [
            report.host.full, user.account.name, String(user.account.uid), entry.domain.string, entry.key.string,
            ReportValue.whole(entry.value, isSensitive: key.isSensitive),
            key.isKnown ? (key.isInForce ? "yes" : "no") : "unknown", key.coverage.word, programs,
            key.source.rawValue, stored.joined(separator: "; "), report.root.display(entry.origin.file),
            entry.origin.position.isBinary ? "" : String(entry.origin.position.line), entry.fileDigest.hex,
            entry.metadata.controls.joined(separator: "; "), entry.metadata.title, "", "",
        ]
    }

    private static func cells(
        _ waiver: ResolvedWaiver, of user: UserCompliance, _ report: ComplianceReport
    ) -> [String] {
        let own = waiver.waiver
        return [
            report.host.full, user.account.name, String(user.account.uid), own.domain.string, own.key.string, "",
            "waived", "", "", "", "", report.root.display(own.origin.file),
            own.origin.position.isBinary ? "" : String(own.origin.position.line), "", "", "",
            own.until?.rfc3339 ?? "never", own.reason,
        ]
    }

    /// A line of cells.
    private static func line(_ cells: [String]) -> String {
        cells.map(cell).joined(separator: ",") + "\r\n"
    }

    /// A cell: quoted if it has to be, and never a formula.
    static func cell(_ text: String) -> String {
        var text = text
        if let first = text.unicodeScalars.first, ["=", "+", "-", "@", "\t", "\r"].contains(first) {
            text = "'" + text
        }
        let isQuoted = text.unicodeScalars.contains { ["\"", ",", "\r", "\n"].contains($0) }
        guard isQuoted else { return text }
        var quoted = ""
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted.unicodeScalars.append("\"") }
            quoted.unicodeScalars.append(scalar)
        }
        return "\"\(quoted)\""
    }
}
