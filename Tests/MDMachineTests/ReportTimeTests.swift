import Foundation
import MDPlatform
import MDReport
import MDTestSupport
import Testing

/// The clock of a report, and policy that is of other times.
struct ReportTimeTests {
    @Test func `a clock before the last record of the log is an error, and the rule of the clock fails`() throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", MergeTests.policy)
        try lab.apply()
        let now = ComplianceReport(of: try lab.machine(), ReportRequest(version: "0.1.0"))
        #expect(!now.findings.contains { $0.code == "clock-behind" } && now.clock == .machine)
        #expect(now.machineRules.first { $0.kind == .clock }?.state == .met)
        let last = try #require(now.evidence.last)
        #expect(last <= now.generated)
        let early = ComplianceReport(
            of: try lab.machine(),
            ReportRequest(time: Timestamp(microseconds: last.microseconds - 1), version: "0.1.0"))
        #expect(early.verdict == .notCompliant && early.findings.first?.code == "clock-behind")
        #expect(early.machineRules.first { $0.kind == .clock }?.state == .notMet)
        #expect(TextReport.render(early).contains("(clock given)"))
    }

    @Test func `a clock before what is recorded is an error of the report as it is of doctor`() throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", MergeTests.policy)
        try lab.apply()
        let later = Date(timeIntervalSinceNow: 86_400)
        let record = lab.path + "/var/lib/managed-defaults/policy.record"
        try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: record)
        let report = ComplianceReport(of: try lab.machine(), ReportRequest(version: "0.1.0"))
        let finding = try #require(report.findings.first { $0.code == "clock-behind" })
        #expect(finding.severity == .error && finding.message.contains("NotBefore counts as reached"))
        #expect(report.machineRules.first { $0.kind == .clock }?.state == .notMet)
    }

    @Test func `policy outside of its time is not current, and is listed with its keys`() throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", MergeTests.policy)
        try lab.policy(
            "20-exam.json",
            """
            {"Identifier": "exam", "Forced": {"d": {"a": 1, "b": 2}}, "Absent": {"d": ["c"]}, "Recommended": {"d": {"e": 1}},
             "Target": {"Users": ["alice"], "Schedule": [{"Days": ["Mon"], "From": "09:00", "To": "11:00", "TimeZone": "UTC"}]}}
            """)
        try lab.policy(
            "30-other.json", #"{"Identifier": "other", "Forced": {"d": {"x": 1}}, "Target": {"Users": ["eve"]}}"#)
        // A Wednesday.
        let report = ComplianceReport(
            of: try lab.machine(at: TemporaryMachine.time),
            ReportRequest(time: TemporaryMachine.time, version: "0.1.0"))
        #expect(report.filesNotNow.map(\.path) == ["/etc/managed-defaults/policies.d/20-exam.json"])
        #expect(report.filesNotNow.map(\.keys) == [3])
        #expect(report.filesNotNow.first?.next == Timestamp(rfc3339: "2026-11-23T09:00:00Z"))
        let text = TextReport.render(report).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(text.contains("Policy 3 files, 1 at other times only (3 keys, not counted here)"), "\(text)")
        #expect(text.contains("NOT NOW (3 keys): exam applies Mon from 09:00 to 11:00 in UTC"), "\(text)")
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(JSONReport.render(report))) as? [String: Any])
        let files = try #require(json["files"] as? [[String: Any]])
        #expect(files.map { $0["inForce"] as? String } == ["current", "not now", "current"])
        #expect(files.map { $0["keys"] as? Int } == [nil, 3, nil])
        // On a Monday at ten it applies.
        let monday = ComplianceReport(
            of: try lab.machine(at: Timestamp(rfc3339: "2026-11-23T10:00:00Z")),
            ReportRequest(time: TemporaryMachine.time, version: "0.1.0"))
        #expect(monday.filesNotNow.isEmpty)
    }
}
