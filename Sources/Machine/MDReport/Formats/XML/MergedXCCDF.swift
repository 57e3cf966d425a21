import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDCare
import MDPlatform
import MDPolicyAdministration
import MDPropertyList

/// Writes reports of many machines as a benchmark of XCCDF 1.2 with a result for each room: the targets are its machines,
/// and of a rule that does not hold everywhere each machine is named where it does not.
package struct MergedXCCDF {
    private let report: MergedReport
    private let time: String
    private var xml = XMLText()
    /// Indices of the machines in each room, and names of expected machines without a report.
    private var places: [Key: [Int]] = [:]
    private var missing: [Key: [String]] = [:]

    private static let benchmark = XMLText.id("benchmark", "many-machines")

    /// The document: a piece with all rules, and one for each room.
    package static func pieces(_ report: MergedReport) -> DocumentPieces {
        var document = MergedXCCDF(report: report)
        document.rules()
        let start = document
        let rooms = report.rooms.map(\.name)
        return DocumentPieces(
            sequence(state: (document: start, next: -1)) { state in
                defer { state.next += 1 }
                guard state.next <= rooms.count else { return nil }
                if rooms.indices.contains(state.next) { state.document.room(rooms[state.next]) }
                if state.next == rooms.count { state.document.xml.end() }
                return state.document.xml.take()
            })
    }

    private init(report: MergedReport) {
        self.report = report
        time = String(report.request.time.rfc3339.prefix(19)) + "Z"
        for (index, machine) in report.machines.enumerated() { places[Key(machine.room), default: []].append(index) }
        for host in report.missing { missing[Key(host.room ?? ""), default: []].append(host.host.string) }
    }

    /// Begins the benchmark.
    private mutating func rules() {
        xml.beginBenchmark(
            id: MergedXCCDF.benchmark, title: report.request.title ?? "Managed policy of many machines", version: "1",
            time: time, program: report.request.version)
        for rule in report.rules {
            xml.rule(
                id: MergedXCCDF.id(rule), rule.words, title: rule.title, controls: rule.controls.map(\.string))
        }
    }

    private static func id(_ rule: MergedReport.Rule) -> String {
        XMLText.id("rule", RuleName.name(rule.domain, rule.key))
    }

    /// Adds the results of a room whose machines have any rule.
    private mutating func room(_ name: String) {
        let all = places[Key(name), default: []].map { report.machines[$0] }
        let machines = all.filter { !$0.isSilent }
        var results: [Int: (met: Int, waived: Int, failed: [String], unknown: [String])] = [:]
        for machine in machines {
            for state in machine.rules {
                var result = results[Int(state.rule)] ?? (0, 0, [], [])
                switch state.state {
                case .met: result.met += 1
                case .waived, .notApplicable: result.waived += 1
                case .notMet: result.failed.append(machine.report.host)
                case .unknown: result.unknown.append(machine.report.host)
                }
                results[Int(state.rule)] = result
            }
        }
        guard !results.isEmpty else { return }
        xml.begin(
            "TestResult",
            [
                ("id", XMLText.id("testresult", RuleName.uuid(report.id, "room", name))), ("start-time", time),
                ("end-time", time), ("test-system", "mdefaults \(report.request.version)"),
                ("version", String(ReportSchema.version)),
            ])
        xml.element("benchmark", [("href", "#\(MergedXCCDF.benchmark)"), ("id", MergedXCCDF.benchmark)])
        xml.element("title", [], name.isEmpty ? "no room" : name)
        let quiet = all.filter(\.isSilent).map(\.report.host) + missing[Key(name), default: []]
        if !quiet.isEmpty { xml.element("remark", [], "Without a report in time: \(quiet.joined(separator: ", ")).") }
        for machine in machines { xml.element("target", [], machine.report.host) }
        var held = 0
        for (index, result) in results.sorted(by: { $0.key < $1.key }) {
            let word =
                !result.failed.isEmpty
                ? "fail" : !result.unknown.isEmpty ? "unknown" : result.met > 0 ? "pass" : "notapplicable"
            if word == "pass" || word == "notapplicable" { held += 1 }
            xml.begin(
                "rule-result",
                [
                    ("idref", MergedXCCDF.id(report.rules[index])), ("time", time), ("role", "full"),
                    ("severity", "unknown"), ("weight", "1"),
                ])
            xml.element("result", [], word)
            let others = result.failed + result.unknown
            xml.element(
                "message", [("severity", word == "fail" || word == "unknown" ? "warning" : "info")],
                "\(result.met) machines have it, \(result.waived) have waivers, \(result.failed.count) do not have it for"
                    + " every user, of \(result.unknown.count) it is not known"
                    + (others.isEmpty ? "" : ": \(others.joined(separator: ", "))"))
            xml.check()
            xml.end()
        }
        xml.element(
            "score", [("system", "urn:xccdf:scoring:flat-unweighted"), ("maximum", String(results.count))], String(held)
        )
        xml.end()
    }
}

extension MergedReport.Rule {
    /// The domain and the key.
    var words: String { "\(domain.string) \(key.string.isEmpty ? "(any other key)" : key.string)" }
}
