import Foundation
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDCare
import MDEngine
import MDPlatform
import MDPropertyList
import MDReport
import MDTestSupport
import Testing

struct LogTests {
    /// A machine with recorded policy and three attempts, of alice, bob and an unknown user.
    private func lab() throws -> TemporaryMachine {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", EvaluationTests.policy)
        try lab.apply()
        let machine = try lab.machine()
        var records: [AuditRecord] = []
        for (uid, name, day) in [(1001, "alice", 17), (1002, "bob", 18), (4444, "ghost", 19)] {
            var record = AuditRecord(kind: .override, src: .client)
            (record.uid, record.user) = (UInt32(uid), name)
            record.time = Timestamp(rfc3339: "2026-11-\(day)T08:00:00Z")
            (record.domain, record.key) = ("org.example.Browser", "HomePage")
            record.tried = ValueSummary(.string("https://games.example"))
            record.outcome = .refused
            record.count = day == 18 ? 3 : nil
            records.append(record)
        }
        var drop = AuditRecord(kind: .drop)
        drop.count = 5
        try AuditLog(root: machine.root).append(records + [drop])
        return lab
    }

    @Test func `attempts stand with their user, and repeated ones are counted`() throws {
        let lab = try lab()
        let report = try lab.report()
        #expect(report.isCompliant)
        #expect(report.summary.attempts == 3 && report.summary.claimed == 2)
        #expect(report.users.map(\.attempts.count) == [1, 1])
        #expect(report.otherAttempts.map(\.user) == ["ghost"])
        #expect(report.attempts.map(\.seq) == report.attempts.map(\.seq).sorted())
        #expect(report.log.isVerified == true)
        #expect(report.log.dropped == 5)
        let text = TextReport.render(report)
        #expect(text.contains("Override attempts of alice on record"))
        #expect(text.contains("2026-11-18 08:00:00 UTC  org.example.Browser HomePage"))
        #expect(text.contains("tried \"https://games.example\", refused, 3 times"))
        #expect(text.contains("Attempts by others"))
    }

    /// A period and the users whose attempts lie in it.
    static let periods: [(String?, String?, [String])] = [
        ("2026-11-18T00:00:00Z", nil, ["bob", "ghost"]), (nil, "2026-11-18T08:00:00Z", ["alice", "bob"]),
        ("2026-11-18T00:00:00Z", "2026-11-18T23:00:00Z", ["bob"]), ("2027-01-01T00:00:00Z", nil, []),
    ]

    @Test(arguments: periods)
    func `a period narrows the attempts`(_ since: String?, _ until: String?, _ users: [String]) throws {
        let lab = try lab()
        let request = ReportRequest(
            since: since.flatMap { Timestamp(rfc3339: $0) }, until: until.flatMap { Timestamp(rfc3339: $0) },
            time: TemporaryMachine.time, version: "0.1.0")
        let report = ComplianceReport(of: try lab.machine(), request)
        #expect(report.attempts.map(\.user) == users)
    }

    @Test func `an altered log is not compliant, and the first bad record is said`() throws {
        let lab = try lab()
        let file = "/var/log/managed-defaults/current.jsonl"
        var text = try String(contentsOfFile: lab.path + file, encoding: .utf8)
        text = text.replacingOccurrences(of: "\"bob\"", with: "\"eve\"")
        try lab.write(file, text)
        let report = try lab.report()
        #expect(!report.isCompliant)
        #expect(report.log.status == .altered)
        #expect(report.limits.contains { $0.contains("current.jsonl was altered") })
        #expect(report.findings.contains { $0.code == "log-not-verified" && $0.severity == .error })
        #expect(TextReport.render(report).contains("ALTERED"))
        #expect(String(decoding: JSONReport.render(report), as: UTF8.self).contains("\"verified\": false"))
    }

    @Test func `a log that was removed is missed where policy was recorded`() throws {
        let lab = try lab()
        try FileManager.default.removeItem(atPath: lab.path + "/var/log/managed-defaults")
        let report = try lab.report()
        #expect(!report.isCompliant)
        #expect(report.log.detail.contains("was removed"))
    }

    @Test func `a log without its last record is truncated`() throws {
        let lab = try lab()
        let file = "/var/log/managed-defaults/current.jsonl"
        let lines = try String(contentsOfFile: lab.path + file, encoding: .utf8).split(separator: "\n")
        try lab.write(file, lines.dropLast().joined(separator: "\n") + "\n")
        let report = try lab.report()
        #expect(!report.isCompliant)
        #expect(report.log.status == .truncated)
        #expect(report.limits.contains { $0.contains("current.jsonl was cut") })
    }
}
