import MDPlatform
import MDPropertyList
import MDTools

/// By what the requirements of a report are grouped; the raw value is that of `--by`.
package enum ReportGrouping: String, Sendable, CaseIterable {
    case user
    case room
    case key
    case control

    /// The names of the columns of a table; new ones come at the end.
    package static let columns = [
        "group", "title", "keys", "required", "met", "not met", "unknown", "waived", "not applicable", "hidden",
        "state",
    ]

    /// The groups of a report: the name, the title and the numbers of each.
    func groups(of report: ComplianceReport) -> [(name: String, rule: RuleSummary)] {
        switch self {
        case .key: report.rules.map { ("\($0.domain.string) \($0.key.string)", $0) }
        case .control: report.controls.map { ($0.key.string, $0) }
        case .room: [(report.machine.room ?? report.host.short, RuleSummary.total(of: report.rules))]
        case .user:
            report.users.map { ($0.account.name, RuleSummary.total(of: ComplianceReport.rules(of: [$0]))) }
        }
    }
}

extension CSVDocument {
    /// The numbers of groups as a table, with CR LF at the end of each line.
    package static func render(_ report: ComplianceReport, by grouping: ReportGrouping) -> [UInt8] {
        var text = CSVTable.line(ReportGrouping.columns)
        for (name, rule) in grouping.groups(of: report) {
            let counts = rule.requirements
            let numbers =
                [rule.keys, counts.required] + RequirementState.allCases.map { counts[$0] } + [rule.hidden]
            text += CSVTable.line([name, rule.title] + numbers.map { String($0) } + [rule.state.rawValue])
        }
        return Array(text.utf8)
    }
}

extension TextReport {
    /// Adds the numbers of groups.
    mutating func groups(by grouping: ReportGrouping) {
        let groups = grouping.groups(of: report)
        let names: [ReportGrouping: String] = [
            .user: "Users", .room: "Room", .key: "Keys over all users", .control: "Controls over all keys and users",
        ]
        heading(names[grouping] ?? "")
        if groups.isEmpty {
            line(grouping == .control ? "  Policy names no controls (Metadata, Controls)." : "  none")
        }
        for (name, rule) in groups {
            let counts = rule.requirements
            var words = ["\(counts.words) met"]
            for state in RequirementState.allCases.dropFirst() where counts[state] > 0 {
                words.append("\(counts[state]) \(state.rawValue)")
            }
            if rule.hidden > 0 { words.append("\(rule.hidden) hidden") }
            if grouping != .key { words.append(Plural.count(rule.keys, "key")) }
            var title = rule.title
            if !rule.controls.isEmpty { title += " (\(rule.controls.joined(separator: ", ")))" }
            if !title.isEmpty { words.append(Printable.escape(title)) }
            paragraph(words.joined(separator: ", "), first: "  \(Printable.escape(name)): ", indent: 4)
        }
    }
}
