import MDPlatform
import MDPolicyModel
import MDPropertyList

/// Writes results as a benchmark of XCCDF 1.2 with one result of it: a rule-result for each requirement of each user,
/// or, of many machines, one for each rule, with the machines on which it does not hold.
///
/// There is one TestResult because OpenSCAP shows the last one, and others the first. A waiver is a message and no
/// override: OpenSCAP takes a result for an error in which only some rules have one.
package struct XCCDFDocument {
    private let table: ResultTable
    private var xml = XMLText()

    /// The document: the rules, then the results of each user.
    package static func pieces(_ table: ResultTable) -> DocumentPieces {
        var document = XCCDFDocument(table: table)
        document.benchmark()
        document.beginResult()
        let head = document.xml.take()
        let rows = table.isFleet ? AnySequence([table.whole, table.summaries]) : table.parts
        let start = document
        document.scores()
        let end = document.xml.take()
        let results = rows.lazy.map { rows in
            var part = start
            for row in rows { part.result(row) }
            return part.xml.take()
        }
        return DocumentPieces(DocumentPieces([head], results), CollectionOfOne(end))
    }

    private init(table: ResultTable) {
        self.table = table
    }

    /// An identifier of this program.
    private static func id(_ kind: String, _ name: String) -> String { "xccdf_managed-defaults_\(kind)_\(name)" }

    private var benchmarkID: String {
        XCCDFDocument.id("benchmark", table.isFleet ? "many-machines" : "policy-\(version)")
    }

    /// The version of what is checked.
    private var version: String { table.isFleet ? "1" : String(table.policyDigest?.prefix(16) ?? "unknown") }

    private mutating func benchmark() {
        xml.begin(
            "Benchmark",
            [
                ("xmlns", "http://checklists.nist.gov/xccdf/1.2"), ("id", benchmarkID), ("resolved", "1"),
                ("xml:lang", "en"),
            ])
        xml.element("status", [("date", String(table.seconds.prefix(10)))], "accepted")
        xml.element("title", [], table.title)
        xml.element("description", [], ComplianceReport.limitsOfMethod)
        xml.element("platform", [("idref", "cpe:/o:linux:linux_kernel")])
        xml.element("version", [], version)
        xml.begin("metadata")
        xml.element("dc:creator", [("xmlns:dc", "http://purl.org/dc/elements/1.1/")], "mdefaults \(table.version)")
        xml.end()
        for rule in table.rules {
            xml.begin(
                "Rule",
                [
                    ("id", XCCDFDocument.id("rule", rule.name)), ("selected", "true"),
                    ("severity", rule.severity.rawValue),
                ])
            xml.element("title", [], rule.heading)
            xml.element("description", [], rule.isRequirement ? "Policy requires \(rule.words)." : "\(rule.title).")
            // Whose controls they are, their names say.
            for control in rule.controls { xml.element("ident", [("system", "urn:managed-defaults:control")], control) }
            check(rule, nil)
            xml.end()
        }
    }

    private mutating func beginResult() {
        xml.begin(
            "TestResult",
            [
                ("id", XCCDFDocument.id("testresult", table.id)), ("start-time", table.seconds),
                ("end-time", table.seconds), ("test-system", "mdefaults \(table.version)"),
                ("version", String(ReportSchema.version)),
            ])
        xml.element("benchmark", [("href", "#\(benchmarkID)"), ("id", benchmarkID)])
        xml.element("title", [], table.sentence)
        for target in table.targets.isEmpty ? [table.subject.host] : table.targets { xml.element("target", [], target) }
        xml.begin("target-facts")
        for (name, value) in table.facts where !value.isEmpty {
            xml.element("fact", [("name", "urn:managed-defaults:\(name)"), ("type", "string")], value)
        }
        xml.end()
    }

    private mutating func result(_ row: ResultRow) {
        let (rule, subject) = (table.rules[row.rule], row.subject)
        let word =
            switch row.state {
            case .met: "pass"
            case .notMet: "fail"
            case .unknown: "unknown"
            // It is shown, and counts neither way; what is not selected is not shown.
            case .waived: "informational"
            case .notApplicable: "notapplicable"
            }
        xml.begin(
            "rule-result",
            [
                ("idref", XCCDFDocument.id("rule", rule.name)), ("time", table.seconds), ("role", "full"),
                ("severity", rule.severity.rawValue), ("weight", "1"),
            ])
        xml.element("result", [], word)
        for control in rule.controls { xml.element("ident", [("system", "urn:managed-defaults:control")], control) }
        var words = row.words
        if !row.detail(.value).isEmpty {
            words += "; required \(row.detail(.value)) by \(row.detail(.file)):\(row.detail(.line))"
        }
        if let since = row.since { words += ", since \(since.rfc3339)" }
        xml.element("message", [("severity", word == "pass" ? "info" : "warning")], words)
        if subject.kind == .user { xml.element("instance", [("context", "user")], subject.user) }
        check(rule, subject)
        xml.end()
    }

    /// Adds how it was checked: by this program, in no language of checks.
    ///
    /// Importers know a failure again by the name and the reference, so both are of this rule and subject alone. OpenSCAP
    /// shows the name of a check that is one of several of its rule.
    private mutating func check(_ rule: ResultRule, _ subject: ResultSubject?) {
        let isOne = subject?.kind != .user
        xml.begin("check", [("system", "urn:managed-defaults:report")] + (isOne ? [] : [("multi-check", "true")]))
        let reference = "urn:managed-defaults:rule:\(rule.name)" + (subject.map { ":\($0.plainName)" } ?? "")
        xml.element("check-content-ref", [("name", subject?.name ?? rule.words), ("href", reference)])
        xml.end()
    }

    /// Adds whether all holds, and the share of requirements that are met, then closes the document.
    private mutating func scores() {
        xml.element(
            "score", [("system", "urn:xccdf:scoring:absolute"), ("maximum", "1")], table.isCompliant ? "1" : "0")
        if table.counts.required > 0 {
            xml.element(
                "score",
                [("system", "urn:managed-defaults:requirements-met"), ("maximum", String(table.counts.required))],
                String(table.counts.met))
        }
        xml.end()
        xml.end()
    }
}
