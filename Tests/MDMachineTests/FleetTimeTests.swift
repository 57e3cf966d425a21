import Foundation
import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDReport
import MDTestSupport
import Testing

/// When the reports of a fleet were made, and what they say together of audit logs.
struct FleetTimeTests {
    /// The report of a machine with an audit log as JSON text, made by its clock.
    private func report(_ lab: TemporaryMachine) throws -> String {
        String(
            decoding: JSONReport.render(ComplianceReport(of: try lab.machine(), ReportRequest(version: "0.1.0"))),
            as: UTF8.self)
    }

    private func lab() throws -> TemporaryMachine {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", MergeTests.policy)
        try lab.write("/etc/managed-defaults/tags", "lab room1\n")
        try lab.apply()
        return lab
    }

    /// A report in which a text is another one, with a digest that fits, as a user makes it who may write the file.
    private func forged(_ report: String, _ changes: (String, String)...) throws -> String {
        var text = report
        for (old, new) in changes {
            let range = try #require(text.range(of: old, options: .regularExpression), "\(old) is in a report")
            text.replaceSubrange(range, with: new)
        }
        let end = try #require(text.range(of: ",\n  \"digest\"", options: .backwards)).lowerBound
        let content = String(text[..<end])
        return "\(content),\n  \"digest\": \"\(SHA256.hash(Array(content.utf8)).hex)\"\n}"
    }

    private func merge(
        _ files: [(String, String)], expected: [MergedReport.ExpectedHost]? = nil
    ) throws -> MergedReport {
        var merged = MergedReport(MergedReport.Request(expected: expected, version: "0.1.0"))
        for (name, text) in files { merged.add(try MachineReport(reading: Array(text.utf8)), file: name) }
        merged.finish()
        return merged
    }

    /// The member `made` of a moment that many seconds from now.
    private func made(_ seconds: Int64) -> String {
        "\"made\": \"\(Timestamp(microseconds: Clock.now().microseconds + seconds * 1_000_000).rfc3339)\""
    }

    @Test func `a report of the future takes no part, and the next one of that machine counts`() throws {
        let own = try report(lab())
        let merged = try merge([
            ("a.json", try forged(own, ("\"made\": \"[^\"]*\"", made(320)))), ("b.json", own),
        ])
        #expect(merged.refusedCount == 1 && merged.machines.map(\.file) == ["b.json"] && !merged.isCompliant)
        #expect(merged.findings.first?.code == "report-not-used" && merged.findings.first?.file == "a.json")
        #expect(merged.findings.first?.message.contains("and now it is") == true)
        // Clocks are never equal.
        let near = try merge([("a.json", try forged(own, ("\"made\": \"[^\"]*\"", made(240))))])
        #expect(near.refusedCount == 0)
    }

    @Test func `a report that is older than its own log takes no part`() throws {
        let own = try report(lab())
        let merged = try merge([
            ("a.json", try forged(own, ("\"last\": \"[^\"]*\"", "\"last\": \"2030-01-01T00:00:00Z\"")))
        ])
        #expect(merged.refusedCount == 1 && merged.machines.isEmpty)
        #expect(
            merged.findings.first?.message.contains("the last record of the log that it has read is of 2030") == true)
    }

    @Test func `a report as if at another time takes no part and is no baseline`() throws {
        let lab = try lab()
        let later = Timestamp(microseconds: Clock.now().microseconds + 86_400_000_000)
        let report = ComplianceReport(of: try lab.machine(), ReportRequest(asIf: later, version: "0.1.0"))
        #expect(report.verdict == .asIf && !report.isCompliant)
        let bytes = JSONReport.render(report)
        let merged = try merge([("a.json", String(decoding: bytes, as: UTF8.self))])
        #expect(merged.refusedCount == 1 && merged.findings.first?.message.contains("has no result") == true)
        var own = try lab.report()
        #expect(throws: ReportFault.self) {
            try own.compare(with: bytes, JSONReport.render(own), isOtherMachine: false)
        }
    }

    @Test func `of reports with one log the longer log is newer, and a shorter one later is an error`() throws {
        let lab = try lab()
        let short = try report(lab)
        try AuditLog(root: lab.root).append([AuditRecord(kind: .override, src: .client)])
        let long = try report(lab)
        let files = [("short.json", try forged(short, ("\"made\": \"[^\"]*\"", made(200)))), ("long.json", long)]
        for order in [files, files.reversed()] {
            let merged = try merge(order)
            #expect(merged.machines.map(\.file) == ["long.json"])
            let finding = try #require(merged.findings.first { $0.code == "log-shorter" })
            #expect(finding.severity == .error && finding.file == "short.json")
            #expect(finding.message.contains("short.json has fewer records than that of long.json"))
            #expect(merged.machines[0].report.verdict == .notCompliant && !merged.isGood)
        }
        #expect(
            !(try merge([("short.json", short), ("long.json", long)])).findings.contains { $0.code.hasPrefix("log-") })
    }

    @Test(arguments: [
        (
            "log-replaced", "\"origin\": \"[^\"]*\"",
            "\"origin\": \"managed-defaults/pc1/00000000000000000000000000000000\""
        ),
        ("log-differs", "\"root\": \"[^\"]*\"", "\"root\": \"WPqbbP7FcodzqDnhe53YGcMq1GkAi0htQc4vv7+fyx8=\""),
        ("log-gone", "\"status\": \"intact\"(.|\n)*\"last\"", "\"status\": \"none\", \"last\""),
    ])
    func `a log that is another one than before is an error that names both reports`(
        _ code: String, _ old: String, _ new: String
    ) throws {
        let own = try report(lab())
        let merged = try merge([
            ("a.json", own), ("b.json", try forged(own, ("\"made\": \"[^\"]*\"", made(2)), (old, new))),
        ])
        let finding = try #require(merged.findings.first { $0.code == code })
        #expect(finding.severity == .error && finding.message.contains("a.json") && finding.message.contains("b.json"))
        #expect(merged.machines.map(\.report.verdict) == [.notCompliant])
    }

    @Test func `machines that speak of one log are named, and contradict each other`() throws {
        let own = try report(lab())
        let foreign = [("\"host\": \"pc1\"", "\"host\": \"pc2\""), ("\"id\": \"[0-9a-f]{32}\"", "\"id\": \"1\"")]
        let copy = try forged(own, foreign[0], foreign[1])
        let double = try merge([("a.json", own), ("b.json", copy)])
        #expect(double.findings.map { "\($0.severity) \($0.code)" } == ["error same-log", "note other-log"])
        // After another name of the machine.
        let renamed = try merge([
            ("a.json", own),
            ("b.json", try forged(copy, ("\"made\": \"[^\"]*\"", made(9)), ("\"size\": [0-9]+", "\"size\": 99"))),
        ])
        #expect(renamed.findings.map { "\($0.severity) \($0.code)" } == ["warning same-log", "note other-log"])
        let root = ("\"root\": \"[^\"]*\"", "\"root\": \"WPqbbP7FcodzqDnhe53YGcMq1GkAi0htQc4vv7+fyx8=\"")
        let merged = try merge([("a.json", own), ("b.json", try forged(own, foreign[0], foreign[1], root))])
        #expect(merged.findings.first?.code == "log-differs")
        #expect(merged.machines.map(\.report.verdict) == [.notCompliant, .notCompliant])
    }

    @Test func `the room of the list counts, and another one in a report is named`() throws {
        let own = try report(lab())
        let merged = try merge(
            [("a.json", own)], expected: [MergedReport.ExpectedHost(host: Key("pc1"), room: "room2")])
        #expect(merged.rooms.map(\.name) == ["room2"])
        let finding = try #require(merged.findings.first { $0.code == "other-room" })
        #expect(finding.severity == .warning && finding.message.contains("of room1"))
        #expect(String(decoding: MergedJSON.render(merged), as: UTF8.self).contains("\"saidRoom\": \"room1\""))
    }

    @Test func `one name with two ids at one time is an error that names the reports`() throws {
        let own = try report(lab())
        let log = ("\"origin\": \"[^\"]*\"", "\"origin\": \"managed-defaults/pc1/00000000000000000000000000000000\"")
        let double = try forged(own, ("\"id\": \"[0-9a-f]{32}\"", "\"id\": \"1\""), log)
        let merged = try merge([("a.json", own), ("b.json", double)])
        let finding = try #require(merged.findings.first { $0.code == "same-name" })
        #expect(finding.severity == .error && finding.message.contains("b.json, a.json"))
        #expect(merged.machines.map(\.report.verdict) == [.notCompliant, .notCompliant])
        // After an installation.
        let later = try merge([("a.json", own), ("b.json", try forged(double, ("\"made\": \"[^\"]*\"", made(9))))])
        #expect(later.findings.first { $0.code == "same-name" }?.severity == .warning)
    }

    @Test func `a baseline of another machine is refused, and one with a longer log is an error`() throws {
        let lab = try lab()
        let before = try report(lab)
        let other = Array(try forged(before, ("\"host\": \"pc1\"", "\"host\": \"pc2\"")).utf8)
        var own = ComplianceReport(of: try lab.machine(), ReportRequest(version: "0.1.0"))
        let fault = #expect(throws: ReportFault.self) {
            try own.compare(with: other, JSONReport.render(own), isOtherMachine: false)
        }
        #expect(fault?.message.contains("of pc2, and this is pc1") == true)
        try own.compare(with: other, JSONReport.render(own), isOtherMachine: true)
        #expect(own.baseline?.isOfOtherMachine == true && !own.findings.contains { $0.code == "log-shorter" })
        let longer = Array(try forged(before, ("\"size\": [0-9]+", "\"size\": 99")).utf8)
        try own.compare(with: longer, JSONReport.render(own), isOtherMachine: false)
        #expect(own.findings.first?.code == "log-shorter" && own.verdict == .notCompliant)
    }
}
