import Foundation
import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDTestSupport
import Testing

/// `audit export` and `audit tail` over a log of four records.
struct AuditExportTests {
    /// The name of the log in its checkpoint.
    private func name(of lab: Lab) throws -> String {
        let checkpoint = lab.path + "/var/log/managed-defaults/checkpoint"
        let text = try String(contentsOfFile: checkpoint, encoding: .utf8)
        return String(text.prefix { $0 != "\n" })
    }

    @Test(arguments: ["jsonl", "csv", "ocsf", "ecs", "rfc5424"])
    func `prints each format as it is kept`(_ format: String) throws {
        let lab = try Lab()
        try lab.recordAttempts()
        let result = try lab.managed("audit", "export", "--format", format)
        #expect(result.code == 0)
        #expect(result.error == "")
        let output = result.output.replacingOccurrences(of: try name(of: lab), with: "managed-defaults/HOST/LOG")
        try Golden.expect(output, "audit-export.\(format)")
    }

    @Test func `jsonl is the log byte for byte`() throws {
        let lab = try Lab()
        try lab.recordAttempts()
        let result = try lab.managed("audit", "export", "--format", "jsonl")
        #expect(try result.output == String(contentsOfFile: lab.log, encoding: .utf8))
    }

    @Test(arguments: [("--user bob", 2), ("--kind policy", 1), ("--limit 3", 3), ("--host room1-pc04", 1)])
    func `narrows as list does`(_ words: String, _ count: Int) throws {
        let lab = try Lab()
        try lab.recordAttempts()
        let words = words.split(separator: " ").map(String.init)
        let result = try lab.managed(["audit", "export", "--format=jsonl"] + words)
        #expect(result.output.split(separator: "\n").count == count)
    }

    @Test(arguments: ["", "--format xml", "--format csv --json", "--format csv more"])
    func `refuses what it does not understand`(_ words: String) throws {
        let lab = try Lab()
        try lab.recordAttempts()
        let result = try lab.managed(["audit", "export"] + words.split(separator: " ").map(String.init))
        #expect(result.code == 2)
        #expect(result.output == "")
    }

    @Test func `a line that is no record is named`() throws {
        let lab = try Lab()
        try lab.recordAttempts()
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: lab.log))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("nonsense\n".utf8))
        let result = try lab.managed("audit", "export", "--format", "csv")
        #expect(result.code == 5)
        #expect(result.output.split(separator: "\r\n").count == 5)
        #expect(result.error.contains("current.jsonl:5: this line is no record: "))
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `follows the log until it is interrupted`(_ signal: Int32) throws {
        let lab = try Lab()
        try lab.recordAttempts()
        let tail = try FollowingProgram(lab, ["audit", "tail", "--lines", "2", "--json"])
        #expect(try [tail.number(), tail.number()] == [3, 4])
        try lab.recordAttempts()
        for number in 5...8 { #expect(try tail.number() == number) }
        // A log that was set aside is followed by the one that is begun.
        try FileManager.default.removeItem(atPath: lab.path + "/var/log/managed-defaults/checkpoint")
        try lab.recordAttempts()
        for number in 1...5 { #expect(try tail.number() == number) }
        tail.program.send(signal)
        #expect(try tail.program.code(within: 120) == 0)
    }

    @Test func `shows no values of keys that are sensitive by now`() throws {
        let lab = try Lab()
        try lab.recordAttempts()
        try lab.add(
            policy: "60-secret.json",
            #"{"Identifier":"a.b","Metadata":{"org.example.Browser":{"HomePage":{"Sensitive":true}}}}"#)
        let tail = try FollowingProgram(lab, ["audit", "tail", "--lines", "4"])
        for _ in 0..<2 {
            let lines = try (0..<4).map { _ in try tail.line() }
            #expect(!lines.contains { $0.contains("school.example") || $0.contains("sha256") }, "\(lines)")
            #expect(lines[0].contains("tried (sensitive) [string of 122 bytes]"), "\(lines)")
            #expect(lines[1].contains("tried 1, forced 0") || lines[1].contains("tried true, forced false"), "\(lines)")
            try lab.recordAttempts()
        }
        tail.program.send(SIGTERM)
        #expect(try tail.program.code(within: 120) == 0)
    }

    @Test func `waits for a log that does not exist, and narrows`() throws {
        let lab = try Lab()
        let tail = try FollowingProgram(lab, ["audit", "tail", "--user", "alice"])
        try lab.recordAttempts()
        #expect(try tail.line().hasPrefix("2  2026-11-20T09:30:00Z  alice"))
        tail.program.send(SIGTERM)
        #expect(try tail.program.code(within: 120) == 0)
    }
}
