import MDCare
import MDEngine
import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPropertyList

/// Writes the keys of a compliance report as a table for spreadsheets, one line for a key of a user.
package enum CSVReport {
    /// The names of the columns; new ones come at the end.
    package static let columns = [
        "host", "user", "uid", "domain", "key", "required", "in force", "coverage", "enforced by", "source", "stored",
        "file", "line", "sha256", "controls", "title", "waived until", "waiver reason",
        "in force since", "losers",
    ]

    /// The table, with CR LF at the end of each line.
    package static func render(_ report: ComplianceReport) -> [UInt8] {
        var text = CSVTable.line(columns)
        for user in report.users {
            for key in user.keys { text += CSVTable.line(cells(key, of: user, report)) }
            for waiver in user.waivers where waiver.state == .inForce {
                text += CSVTable.line(cells(waiver, of: user, report))
            }
        }
        return Array(text.utf8)
    }

    private static func cells(_ key: KeyCompliance, of user: UserCompliance, _ report: ComplianceReport) -> [String] {
        let entry = key.entry
        let stored = key.stored.map { ReportValue.line($0.value, isSensitive: key.isSensitive) }
        let programs = key.coverage.names.joined(separator: "; ")
        return [
            report.host.full, user.account.name, String(user.account.uid), entry.domain.string, entry.key.string,
            ReportValue.whole(entry.value, isSensitive: key.isSensitive),
            key.isKnown ? (key.isInForce ? "yes" : "no") : "unknown", key.coverage.word, programs,
            key.source.rawValue, stored.joined(separator: "; "), report.root.display(entry.origin.file),
            entry.origin.position.isBinary ? "" : String(entry.origin.position.line), entry.fileDigest.hex,
            entry.metadata.controls.joined(separator: "; "), entry.metadata.title, "", "", key.since?.rfc3339 ?? "",
            entry.losers.map { "\(report.root.display($0.origin.file)):\($0.origin.position.line)" }
                .joined(separator: "; "),
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
            own.until?.rfc3339 ?? "never", own.reason, "", "",
        ]
    }
}
