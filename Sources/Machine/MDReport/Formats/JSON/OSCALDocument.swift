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
    private var json = JSONWriter(pretty: true)

    /// The document as UTF-8, without a line feed at its end.
    package static func render(_ table: ResultTable) -> [UInt8] {
        var document = OSCALDocument(table: table)
        document.object { document in
            document.json.member("assessment-results")
            document.object { $0.results() }
        }
        return document.json.utf8
    }

    private init(table: ResultTable) {
        self.table = table
        rows = table.whole + table.summaries
    }

    private func uuid(_ kind: String, _ name: String...) -> String {
        RuleName.uuid(table.id, kind, name.joined(separator: "\u{0}"))
    }

    private mutating func results() {
        json.field("uuid", table.id)
        json.member("metadata")
        object { document in
            document.json.field("title", Printable.escape(document.table.title))
            document.json.field("last-modified", document.table.seconds)
            document.json.field("version", document.table.version)
            document.json.field("oscal-version", "1.1.2")
        }
        json.member("import-ap")
        object { $0.json.field("href", "urn:sha256:\($0.table.policyDigest ?? "unknown")") }
        array("results", [table]) { document, table in
            document.json.field("uuid", document.uuid("result"))
            document.json.field("title", "\(Printable.escape(table.subject.host)): \(table.verdict.words)")
            document.json.field("description", "\(table.sentence) \(ComplianceReport.limitsOfMethod)")
            document.json.field("start", table.seconds)
            document.json.field("end", table.seconds)
            document.properties(table.facts)
            document.json.member("reviewed-controls")
            document.object { document in
                document.array("control-selections", [0]) { document, _ in
                    document.json.member("include-all")
                    document.object { _ in }
                }
            }
            document.json.member("observations")
            document.json.beginArray()
            for row in document.rows { document.object { $0.observation(row) } }
            // Of many machines, each one's result.
            for row in table.details.joined() where table.isFleet && !table.rules[row.rule].isRequirement {
                document.object { $0.observation(row) }
            }
            document.json.endArray()
            let waived = table.isFleet ? [] : table.details.lazy.joined().filter { $0.state == .waived }
            document.array("risks", waived) { $0.risk($1) }
            document.findings()
        }
    }

    /// The words for a row: its rule, and of whom it says something.
    private func name(of row: ResultRow) -> String {
        let words = table.rules[row.rule].words
        return Printable.escape(row.subject.kind == table.subject.kind ? words : "\(row.subject.name): \(words)")
    }

    private mutating func observation(_ row: ResultRow) {
        let rule = table.rules[row.rule]
        json.field("uuid", uuid("observation", row.subject.machine, row.subject.path, rule.name))
        json.field("title", rule.title.isEmpty ? name(of: row) : Printable.escape(rule.title))
        json.field("description", "\(name(of: row)): \(row.state.rawValue): \(Printable.escape(row.words))")
        properties(
            [
                ("domain", rule.domain.string), ("key", rule.key.string), ("room", row.subject.room),
                ("result", row.state.rawValue), ("severity", rule.severity.rawValue),
            ]
                + row.details.map { ($0.name.rawValue.replacing(" ", with: "-"), $0.value) })
        json.field("methods", .array([.string("TEST")]))
        json.field("collected", table.seconds)
    }

    private mutating func risk(_ row: ResultRow) {
        let rule = table.rules[row.rule]
        json.field("uuid", uuid("risk", row.subject.path, rule.name))
        json.field("title", "Waiver: \(name(of: row))")
        json.field("description", Printable.escape(row.words))
        json.field("statement", "\(Printable.escape(row.detail(.policy))) waives it.")
        json.field("status", "deviation-approved")
    }

    /// Writes the findings about rules that belong to no control, then those about controls.
    private mutating func findings() {
        var controls: [Key: [ResultRow]] = [:]
        for row in rows {
            for control in Set(table.rules[row.rule].controls.map { Key($0) }) {
                controls[control, default: []].append(row)
            }
        }
        let single = rows.filter { table.rules[$0.rule].controls.isEmpty }.map { row in
            (name: table.rules[row.rule].words, target: table.rules[row.rule].name, rows: [row])
        }
        let named = controls.keys.sorted().map { (name: $0.string, RuleName.plain($0.string), controls[$0] ?? []) }
        // What applies to nobody is no finding; its observation says so.
        array("findings", (single + named).filter { !$0.rows.allSatisfy { $0.state == .notApplicable } }) {
            document, item in
            var counts = RequirementCounts()
            for row in item.rows { counts.add(row.state) }
            let state = counts.strictState
            document.json.field("uuid", document.uuid("finding", item.name))
            document.json.field("title", Printable.escape(item.name))
            document.json.field(
                "description",
                item.rows.count == 1
                    ? "\(state.rawValue): \(Printable.escape(item.rows.first?.words ?? ""))"
                    : "\(state.rawValue): \(counts.words) rules are met for everybody.")
            document.json.member("target")
            document.object { document in
                document.json.field("type", "objective-id")
                document.json.field("target-id", item.target)
                document.json.member("status")
                document.object { document in
                    document.json.field("state", state == .met ? "satisfied" : "not-satisfied")
                    document.json.field("reason", state == .met ? "pass" : state == .notMet ? "fail" : "other")
                    if state != .met { document.json.field("remarks", "\(state.rawValue)") }
                }
            }
            document.array("related-observations", item.rows) { document, row in
                let name = document.table.rules[row.rule].name
                document.json.field(
                    "observation-uuid", document.uuid("observation", row.subject.machine, row.subject.path, name))
            }
        }
    }

    /// Writes an object.
    private mutating func object(_ body: (inout Self) -> Void) {
        json.beginObject()
        body(&self)
        json.endObject()
    }

    /// Writes a member that is an array; nothing if there are no items, because OSCAL has no empty arrays.
    private mutating func array<Item>(_ name: String, _ items: [Item], _ body: (inout Self, Item) -> Void) {
        guard !items.isEmpty else { return }
        json.member(name)
        json.beginArray()
        for item in items { object { body(&$0, item) } }
        json.endArray()
    }

    /// Writes properties that only this program knows; a value is one line and not empty.
    ///
    /// Their namespace is a URI as OSCAL demands, and the name of no domain.
    private mutating func properties(_ properties: [(String, String)]) {
        array("props", properties.filter { !$0.1.isEmpty }) { document, item in
            document.json.field("name", item.0)
            document.json.field("ns", "urn:uuid:f561230c-34e8-53b0-8c06-d099099c95f6")
            document.json.field("value", Printable.escape(item.1))
        }
    }
}
