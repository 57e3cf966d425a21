import Foundation
import MDAuditLog
import MDPlatform
import MDPropertyList
import MDReport
import MDTestSupport
import Testing

/// Tests what the formats of other tools say.
struct ResultTableTests {
    private static let policy = """
        {"Identifier": "edu.example.a", "Forced": {"org.example.Browser": {"HomePage": "https://a.example", "Zoom": 2}},
         "Metadata": {"org.example.Browser": {"Zoom": {"Title": "Zoom", "Controls": ["CIS 9.3"], "Severity": "low"}}}}
        """

    /// What makes a machine, and the rule that does not hold on it; `nil` for one that is as it should be.
    static let labs: [(name: String, rule: String?, make: @Sendable (TemporaryMachine) throws -> Void)] = [
        ("as it should be", nil, { _ in }),
        (
            "a byte of the log flipped", "log-verifies",
            { lab in
                let file = "/var/log/managed-defaults/current.jsonl"
                var bytes = try #require(FileManager.default.contents(atPath: lab.path + file))
                bytes[bytes.count / 2] ^= 1
                try bytes.write(to: URL(fileURLWithPath: lab.path + file))
            }
        ),
        ("a file that never was good", "policy-in-force", { try $0.policy("20-b.json", "{") }),
        (
            "a damaged preference file", "everything-looked-at",
            { try $0.write("/home/alice/.config/org.example.Browser.plist", "{ \"") }
        ),
        ("no program asks", "org.example.Browser HomePage", { try $0.opened([], by: []) }),
        (
            "one user's program asks", "org.example.Browser HomePage",
            { try $0.opened(["org.example.Browser"], by: [1001]) }
        ),
        ("nothing is required", "compliant", { try $0.policy("10-a.json", #"{"Identifier": "edu.example.a"}"#) }),
    ]

    private func report(_ name: String, host: String = "pc1") throws -> ComplianceReport {
        let lab = try TemporaryMachine()
        // The log begins with the name.
        try lab.write("/etc/hostname", "\(host)\n")
        try lab.write("/etc/machine-id", String(SHA256.hash(Array(host.utf8)).hex.prefix(32)) + "\n")
        try lab.policy("10-a.json", Self.policy)
        try lab.apply()
        try #require(Self.labs.first { $0.name == name }).make(lab)
        return try lab.report()
    }

    /// What each format says that does not hold, or is unknown.
    private func failures(_ table: ResultTable) throws -> [String: String] {
        let csv = String(decoding: CSVDocument.pieces(table).bytes, as: UTF8.self).components(separatedBy: "\r\n")
            .dropFirst()
        let junit = String(decoding: JUnitDocument.pieces(table).bytes, as: UTF8.self)
            .components(separatedBy: "<testcase ").dropFirst()
        let xccdf = String(decoding: XCCDFDocument.pieces(table).bytes, as: UTF8.self)
            .components(separatedBy: "<rule-result ").dropFirst()
        let ocsf = String(decoding: OCSFDocument.pieces(table).bytes, as: UTF8.self).split(separator: "\n")
        let oscal = String(decoding: OSCALDocument.render(table), as: UTF8.self)
            .components(separatedBy: "\"target\": {").dropFirst()
        func joined(_ parts: some Sequence<some StringProtocol>, _ words: String...) -> String {
            parts.filter { part in words.contains { part.contains($0) } }.joined(separator: "\n")
        }
        return [
            "csv": joined(csv, ",not met,", ",unknown,"), "junit": joined(junit, "<failure", "<error"),
            "xccdf": joined(xccdf, "<result>fail", "<result>unknown"),
            "ocsf": joined(ocsf, "\"status\":\"Fail\"", "\"status\":\"Unknown\""),
            "oscal": joined(oscal, "\"reason\": \"fail\"", "\"remarks\": \"unknown\""),
        ]
    }

    @Test(arguments: labs.map(\.name))
    func `no format is green where the truth is not, and each says the rule`(_ name: String) throws {
        let report = try report(name)
        let rule = try #require(Self.labs.first { $0.name == name }).rule
        #expect(report.isCompliant == (rule == nil), "\(report.findings) \(report.limits)")
        for (format, failures) in try failures(ResultTable(report)) {
            // In XML the rule has the name of its identifier, in JUnit domain and key stand apart.
            let words = rule?.split(separator: " ").last.map { String($0) }
            #expect(failures.isEmpty == (words == nil), "\(format): \(failures)")
            if let words { #expect(failures.contains(words), "\(format): \(failures)") }
        }
        let metrics = String(decoding: PrometheusDocument.render(ResultTable(report)), as: UTF8.self)
        #expect(metrics.contains("{verdict=\"compliant\"} \(rule == nil ? 1 : 0)\n"))
        if let rule, rule.contains("-") { #expect(metrics.contains("{rule=\"\(rule)\"} 0\n")) }
        let score = String(decoding: XCCDFDocument.pieces(ResultTable(report)).bytes, as: UTF8.self)
        #expect(score.contains("scoring:absolute\" maximum=\"1\">\(rule == nil ? 1 : 0)</score>"))
    }

    @Test(arguments: labs.map(\.name))
    func `of many machines none is green because others are`(_ name: String) throws {
        var merged = MergedReport(MergedReport.Request(version: "0.1.0"))
        for report in [try report(name, host: "pc7"), try report(Self.labs[0].name)] {
            merged.add(try MachineReport(reading: JSONReport.render(report)), file: report.host.full)
        }
        merged.finish()
        let rule = try #require(Self.labs.first { $0.name == name }).rule
        #expect(merged.isCompliant == (rule == nil), "\(merged.findings) \(merged.limits)")
        for (format, failures) in try failures(ResultTable(merged)) {
            #expect(failures.isEmpty == (rule == nil), "\(format): \(failures)")
            if rule != nil, format != "oscal" { #expect(failures.contains("pc7"), "\(format): \(failures)") }
        }
    }

    @Test func `each failure has a name and a reference of its own, and the severity that policy gives it`() throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", Self.policy)
        try lab.opened([], by: [])
        let text = String(decoding: XCCDFDocument.pieces(ResultTable(try lab.report())).bytes, as: UTF8.self)
        let results = text.components(separatedBy: "<rule-result ").dropFirst().filter { $0.contains("<result>fail") }
        #expect(results.count == 5)
        let references = results.compactMap { result in
            result.components(separatedBy: "<check-content-ref ").last?.prefix { $0 != ">" }
        }
        #expect(Set(references).count == results.count)
        #expect(references.allSatisfy { $0.contains("name=\"") && $0.contains("href=\"urn:managed-defaults:rule:") })
        #expect(text.components(separatedBy: "<TestResult ").count == 2)
        let zoom = results.filter { $0.contains("org.example.Browser-Zoom") }
        #expect(zoom.count == 2 && zoom.allSatisfy { $0.contains("severity=\"low\"") })
        #expect(text.contains("requirements-met\" maximum=\"4\">0</score>"))
    }

    @Test func `a waiver is neither met nor a failure, and says why`() throws {
        let lab = try TemporaryMachine()
        try lab.policy(
            "10-a.json",
            #"{"Identifier": "a", "Forced": {"org.example.A": {"K": 1}}, "Waivers": [{"Users": ["bob"], "Domain":"#
                + #" "org.example.A", "Key": "K", "Reason": "thesis", "ApprovedBy": "IT-2"}]}"#)
        let table = ResultTable(try lab.report())
        let words = "waived without end: thesis, approved by IT-2"
        let xccdf = String(decoding: XCCDFDocument.pieces(table).bytes, as: UTF8.self)
        #expect(xccdf.contains("<result>informational</result>") && xccdf.contains(">\(words)"))
        let junit = String(decoding: JUnitDocument.pieces(table).bytes, as: UTF8.self)
        #expect(junit.contains("<skipped message=\"\(words)\">"))
        let oscal = String(decoding: OSCALDocument.render(table), as: UTF8.self)
        #expect(oscal.contains("\"deviation-approved\"") && oscal.contains("\"remarks\": \"waived\""))
        let csv = String(decoding: CSVDocument.pieces(table).bytes, as: UTF8.self)
        #expect(csv.contains("bob,1002,org.example.A K,waived,"))
    }

    @Test(
        arguments: [
            (nil, "fleet"), ("", "no-room"), ("room1", "room1"), ("fleet", "fleet-room-"), ("room 1", "room-1-room-"),
            ("../x", "x-..-x-room-"),
        ] as [(String?, String)])
    func `the file of a room has a name of its own`(_ room: String?, _ name: String) {
        let own = ResultTable.fileName(ofRoom: room)
        #expect(name.hasSuffix("-") ? own.hasPrefix(name) && own.count == name.count + 8 : own == name, "\(own)")
    }
}
