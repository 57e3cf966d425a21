import MDPlatform
import MDPolicyModel
import MDPropertyList
import MDTools

/// Writes results as assessment results of OSCAL 1.1.2: an observation for each rule over all users or machines, a finding
/// for each control or rule without one, and a risk with an approved deviation for each waiver.
///
/// A finding is satisfied only if everything is met: what is unknown or waived is not satisfied, for another reason than
/// a failure.
///
/// Source: <https://pages.nist.gov/OSCAL-Reference/models/v1.1.2/assessment-results/json-reference/>
package struct OSCALDocument {
    private let table: ResultTable
    /// The rows about the whole, then one for each rule.
    private let rows: [ResultRow]
    /// The rows of users, or of machines, that a waiver lifts.
    private let waived: [ResultRow]

    /// The document as UTF-8, without a line feed at its end.
    package static func render(_ table: ResultTable) -> [UInt8] {
        let document = OSCALDocument(
            table: table, rows: table.whole + table.summaries,
            waived: table.details.joined().filter { $0.state == .waived })
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.object("assessment-results") { document.write(&$0) }
        json.endObject()
        return json.utf8
    }

    private func uuid(_ kind: String, _ name: String...) -> String {
        RuleName.uuid(table.id, kind, name.joined(separator: "\u{0}"))
    }

    private func observationID(of row: ResultRow) -> String {
        uuid("observation", row.subject.machine, row.subject.path, table.rules[row.rule].name)
    }

    private func write(_ json: inout JSONWriter) {
        json.field("uuid", table.id)
        json.object("metadata") { json in
            json.field("title", Printable.escape(table.title))
            json.field("last-modified", table.seconds)
            json.field("version", table.version)
            json.field("oscal-version", "1.1.2")
        }
        json.object("import-ap") { $0.field("href", "urn:sha256:\(table.policyDigest ?? "unknown")") }
        json.list("results", CollectionOfOne(table)) { table, json in
            json.field("uuid", uuid("result"))
            json.field("title", "\(Printable.escape(table.subject.host)): \(table.verdict.words)")
            json.field("description", "\(table.sentence) \(ComplianceReport.limitsOfMethod)")
            json.field("start", table.seconds)
            json.field("end", table.seconds)
            properties(table.facts, &json)
            json.object("reviewed-controls") { json in
                json.list("control-selections", [0]) { $1.object("include-all") { _ in } }
            }
            // Of many machines, each one's result too.
            let own = table.details.lazy.joined().filter { table.isFleet && !table.rules[$0.rule].isRequirement }
            json.list("observations", [AnySequence(rows), AnySequence(own)].lazy.joined()) { observation($0, &$1) }
            // OSCAL has no empty arrays.
            if !waived.isEmpty { json.list("risks", waived) { risk($0, &$1) } }
            json.list("findings", findings) { finding($0, &$1) }
        }
    }

    /// The words for a row: its rule, and of whom it says something.
    private func name(of row: ResultRow) -> String {
        let words = table.rules[row.rule].words
        return Printable.escape(row.subject.kind == table.subject.kind ? words : "\(row.subject.name): \(words)")
    }

    private func observation(_ row: ResultRow, _ json: inout JSONWriter) {
        let rule = table.rules[row.rule]
        json.field("uuid", observationID(of: row))
        json.field("title", rule.title.isEmpty ? name(of: row) : Printable.escape(rule.title))
        json.field("description", "\(name(of: row)): \(row.state.rawValue): \(Printable.escape(row.words))")
        let facts = [
            ("domain", rule.domain.string), ("key", rule.key.string), ("room", row.subject.room),
            ("result", row.state.rawValue), ("severity", rule.severity.rawValue),
        ]
        properties(
            facts + row.details.map { ($0.name.rawValue.split(separator: " ").joined(separator: "-"), $0.value) }, &json
        )
        json.field("methods", .array([.string("TEST")]))
        json.field("collected", table.seconds)
    }

    private func riskID(of row: ResultRow) -> String {
        uuid("risk", row.subject.machine, row.subject.path, table.rules[row.rule].name)
    }

    private func risk(_ row: ResultRow, _ json: inout JSONWriter) {
        json.field("uuid", riskID(of: row))
        json.field("title", "Waiver: \(name(of: row))")
        json.field("description", Printable.escape(row.words))
        json.field("statement", "Somebody has decided that it does not apply.")
        json.field("status", "deviation-approved")
    }

    /// What a finding is about, and the rows for it.
    private typealias Finding = (name: String, target: String, rows: [ResultRow])

    /// The findings about rules that belong to no control, then those about controls.
    ///
    /// What is not applicable is no finding; its observation says so.
    private var findings: [Finding] {
        var findings: [Finding] = []
        var controls: [Key: [ResultRow]] = [:]
        for row in rows where row.state != .notApplicable {
            let rule = table.rules[row.rule]
            if rule.controls.isEmpty { findings.append((rule.words, rule.name, [row])) }
            for control in Set(rule.controls.map { Key($0) }) { controls[control, default: []].append(row) }
        }
        return findings + controls.keys.sorted().map { ($0.string, RuleName.plain($0.string), controls[$0] ?? []) }
    }

    private func finding(_ finding: Finding, _ json: inout JSONWriter) {
        var counts = RequirementCounts()
        for row in finding.rows { counts.add(row.state) }
        let state = counts.strictState
        let words =
            finding.rows.count == 1
            ? Printable.escape(finding.rows[0].words) : "\(counts.words) rules are met for everybody."
        json.field("uuid", uuid("finding", finding.name))
        json.field("title", Printable.escape(finding.name))
        json.field("description", "\(state.rawValue): \(words)")
        json.object("target") { json in
            json.field("type", "objective-id")
            json.field("target-id", finding.target)
            json.object("status") { json in
                json.field("state", state == .met ? "satisfied" : "not-satisfied")
                json.field("reason", state == .met ? "pass" : state == .notMet ? "fail" : "other")
                if state != .met { json.field("remarks", state.rawValue) }
            }
        }
        json.list("related-observations", finding.rows) { $1.field("observation-uuid", observationID(of: $0)) }
        // Only where nothing but a waiver keeps it from being satisfied are its risks all that there is to say.
        guard state == .waived else { return }
        let rules = Set(finding.rows.map(\.rule))
        json.list("related-risks", waived.filter { rules.contains($0.rule) }) { $1.field("risk-uuid", riskID(of: $0)) }
    }

    /// Writes properties that only this program knows; a value is one line and not empty.
    ///
    /// Their namespace is a URI as OSCAL demands, and the name of no domain.
    private func properties(_ properties: [(String, String)], _ json: inout JSONWriter) {
        json.list("props", properties.filter { !$0.1.isEmpty }) { item, json in
            json.field("name", item.0)
            json.field("ns", "urn:uuid:f561230c-34e8-53b0-8c06-d099099c95f6")
            json.field("value", Printable.escape(item.1))
        }
    }
}
