import Compliance
import Engine
import Foundation
import Platform
import Policy
import PropertyList
import Testing

/// What a report says while a rollback is not over: its result, its counts and its rows say the same.
struct UnfinishedRollbackTests {
    /// The text of a policy with one key.
    private static func policy(_ name: String, _ value: Int) -> String {
        "{\"Identifier\": \"edu.example.\(name)\", \"Forced\": {\"d\": {\"\(name)\": \(value)}}}"
    }

    /// A machine whose rollback to generation 1 begins and writes nothing, because its directory is not trusted then.
    private static func machine() throws -> LabFolder {
        let lab = try LabFolder()
        let root = try Root(directory: lab.path)
        let store = PolicyStore(root: root, thorough: true)
        let recorder = PolicyChangeRecorder(root: root)
        for name in ["same", "changed", "gone"] { try lab.policy("\(name).json", policy(name, 1)) }
        _ = store.apply { recorder.record($0) }
        try lab.policy("changed.json", policy("changed", 2))
        try lab.policy("new.json", policy("new", 2))
        try FileManager.default.removeItem(atPath: lab.path + "/etc/managed-defaults/policies.d/gone.json")
        _ = store.apply { recorder.record($0) }
        let directory = lab.path + "/etc/managed-defaults/policies.d"
        #expect(throws: OperationError.self) {
            try store.rollBack(to: 1) { _ in
                chmod(directory, 0o777) == 0
            } report: {
                recorder.record($0)
            }
        }
        try #require(chmod(directory, 0o755) == 0)
        return lab
    }

    /// The keys of alice, each with whether it is compliant.
    private static func keys(_ report: ComplianceReport) -> [String: Bool] {
        Dictionary(uniqueKeysWithValues: report.users[0].keys.map { ($0.entry.key.string, $0.isCompliant) })
    }

    @Test func `what a rollback has not written yet is not in force as written`() throws {
        let lab = try Self.machine()
        let before = try lab.content()
        let report = try lab.report()
        #expect(!report.isCompliant)
        #expect(report.findings.filter { $0.severity == .error }.map(\.code) == ["not-recorded"])
        #expect(Self.keys(report) == ["same": true, "changed": false, "gone": false])
        #expect(report.summary.compliant == 2 && report.summary.nonCompliant == 4)
        #expect(report.summary.brokenFiles == 2)
        #expect(report.files.map(\.source) == [.lastGood, .lastGood, .current])
        #expect(report.findings.contains { $0.code == "ignored" && $0.file?.hasSuffix("new.json") == true })
        let text = TextReport.render(report)
        #expect(text.contains("3 files, 2 of them not in force as written"))
        #expect(text.contains("OF GENERATION 1: edu.example.changed"))
        #expect(!text.contains("OF GENERATION 1: edu.example.same"))
        let json = try JSONSerialization.jsonObject(with: Data(JSONReport.render(report))) as? [String: Any]
        let files = try #require(json?["files"] as? [[String: Any]])
        #expect(files.map { $0["inForce"] as? String } == ["last good", "last good", "current"])
        #expect(files.map { $0["generation"] as? Int } == [1, 1, nil])
        #expect(try lab.content() == before, "a report changes nothing")
    }

    @Test func `each file that is written counts as written, and with the last of them all do`() throws {
        let lab = try Self.machine()
        try lab.policy("changed.json", Self.policy("changed", 1))
        #expect(Self.keys(try lab.report()) == ["same": true, "changed": true, "gone": false])
        try lab.policy("gone.json", Self.policy("gone", 1))
        // Everything that is in force lies in place, and beside it something that is not in force.
        let beside = try lab.report()
        #expect(!beside.isCompliant && beside.summary.nonCompliant == 0 && beside.summary.brokenFiles == 0)
        #expect(beside.findings.contains { $0.code == "ignored" && $0.message.contains("generation 1") })
        try FileManager.default.removeItem(atPath: lab.path + "/etc/managed-defaults/policies.d/new.json")
        let report = try lab.report()
        #expect(report.isCompliant)
        #expect(report.findings.contains { $0.severity == .warning && $0.message.contains("is not over") })
        #expect(report.summary.keys == 6 && report.summary.nonCompliant == 0)
    }

    @Test func `once somebody ends the rollback everything is in force as written`() throws {
        let lab = try Self.machine()
        let root = try Root(directory: lab.path)
        _ = PolicyStore(root: root, thorough: true).apply { PolicyChangeRecorder(root: root).record($0) }
        let report = try lab.report()
        #expect(report.isCompliant && report.summary.nonCompliant == 0 && report.summary.keys == 6)
        #expect(report.files.allSatisfy { $0.source == .current && $0.generation == nil })
    }

    @Test func `of a directory that cannot be listed nothing counts as written`() throws {
        let lab = try Self.machine()
        try FileManager.default.removeItem(atPath: lab.path + "/etc/managed-defaults/policies.d")
        let report = try lab.report()
        #expect(!report.isCompliant && report.summary.compliant == 0 && report.summary.nonCompliant == 6)
    }
}
