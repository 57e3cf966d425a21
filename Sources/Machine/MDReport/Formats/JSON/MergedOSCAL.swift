import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDPolicyAdministration
import MDPropertyList
import MDTools

/// Writes reports of many machines as assessment results of OSCAL 1.1.2: an observation for each rule and for each
/// machine, a finding for each control and for each rule without one.
package struct MergedOSCAL: OSCALDocument {
    private let report: MergedReport
    private let time: String
    var json = JSONWriter(pretty: true)
    /// The numbers of machines of each rule.
    private var counts: [(machines: Int, met: Int)]

    /// The document as UTF-8, without a line feed at its end.
    package static func render(_ report: MergedReport) -> [UInt8] {
        var document = MergedOSCAL(report: report)
        document.whole()
        return document.json.utf8
    }

    private init(report: MergedReport) {
        self.report = report
        time = String(report.request.time.rfc3339.prefix(19)) + "Z"
        counts = [(machines: Int, met: Int)](repeating: (0, 0), count: report.rules.count)
        for machine in report.machines where !machine.isSilent {
            for state in machine.rules {
                counts[Int(state.rule)].machines += 1
                if state.isMet { counts[Int(state.rule)].met += 1 }
            }
        }
    }

    private func uuid(_ kind: String, _ name: String) -> String { RuleName.uuid(report.id, kind, name) }

    private mutating func whole() {
        object { document in
            document.json.member("assessment-results")
            document.object { $0.results() }
        }
    }

    private mutating func results() {
        json.field("uuid", report.id)
        json.member("metadata")
        object { document in
            document.json.field("title", document.report.request.title ?? "Compliance of many machines")
            document.json.field("last-modified", document.time)
            document.json.field("version", document.report.request.version)
            document.json.field("oscal-version", "1.1.2")
        }
        json.member("import-ap")
        object { $0.json.field("href", "urn:uuid:\($0.report.id)") }
        array("results", [report]) { document, report in
            document.json.field("uuid", document.uuid("result", ""))
            document.json.field("title", Plural.count(report.machines.count, "machine"))
            document.json.field("description", ComplianceReport.limitsOfMethod)
            document.json.field("start", document.time)
            document.json.field("end", document.time)
            document.properties([
                ("machines", String(report.machines.count)), ("silent", String(report.silent.count)),
                ("missing", String(report.missing.count)), ("reports-refused", String(report.refusedCount)),
            ])
            document.json.member("reviewed-controls")
            document.object { document in
                document.array("control-selections", [0]) { document, _ in
                    document.json.member("include-all")
                    document.object { _ in }
                }
            }
            let rules = Array(report.rules.indices)
            document.json.member("observations")
            document.json.beginArray()
            for rule in rules { document.object { $0.observation(ofRule: rule) } }
            for machine in report.machines { document.object { $0.observation(of: machine) } }
            document.json.endArray()
            document.findings()
        }
    }

    private mutating func observation(ofRule index: Int) {
        let (rule, count) = (report.rules[index], counts[index])
        json.field("uuid", uuid("observation", rule.words))
        json.field("title", Printable.escape(rule.title.isEmpty ? rule.words : rule.title))
        json.field(
            "description",
            "\(Printable.escape(rule.words)): met for every user, or waived, on \(count.met) of "
                + "\(count.machines) machines.")
        properties([
            ("domain", rule.domain.string), ("key", rule.key.string), ("machines", String(count.machines)),
            ("holdsOn", String(count.met)),
        ])
        json.field("methods", .array([.string("TEST")]))
        json.field("collected", time)
    }

    private mutating func observation(of machine: MachineState) {
        let own = machine.report
        json.field("uuid", uuid("machine", "\(own.machine) \(own.host)"))
        json.field("title", Printable.escape(own.host))
        let result = machine.isSilent ? "It has not reported in time." : "\(own.verdict.rawValue)."
        json.field(
            "description",
            "\(result) Met: \(own.counts.allWords), "
                + "\(Plural.count(own.attempts, "attempt")) on record.")
        properties([
            ("machine", own.machine), ("room", machine.room), ("policy-digest", own.policyDigest),
            ("log-status", own.logStatus),
        ])
        json.field("methods", .array([.string("TEST")]))
        json.field("collected", String(own.generated.rfc3339.prefix(19)) + "Z")
    }

    /// Writes the findings about controls, then those about rules that belong to none.
    private mutating func findings() {
        var controls: [Key: [Int]] = [:]
        for (index, rule) in report.rules.enumerated() {
            for control in Set(rule.controls) { controls[control, default: []].append(index) }
        }
        let named = controls.keys.sorted().map { ($0.string, RuleName.plain($0.string), controls[$0] ?? []) }
        let others = report.rules.indices.filter { report.rules[$0].controls.isEmpty }.map { index in
            (report.rules[index].words, RuleName.name(report.rules[index].domain, report.rules[index].key), [index])
        }
        array("findings", named + others) { document, item in
            let (name, target, rules) = item
            let isMet = rules.allSatisfy { document.counts[$0].met == document.counts[$0].machines }
            document.json.field("uuid", document.uuid("finding", name))
            document.json.field("title", Printable.escape(name))
            document.json.field("description", "\(Plural.count(rules.count, "key")) on all machines that have it.")
            document.json.member("target")
            document.object { document in
                document.json.field("type", "objective-id")
                document.json.field("target-id", target)
                document.json.member("status")
                document.object { $0.json.field("state", isMet ? "satisfied" : "not-satisfied") }
            }
            document.array("related-observations", rules) { document, rule in
                document.json.field(
                    "observation-uuid", document.uuid("observation", document.report.rules[rule].words))
            }
        }
    }
}
