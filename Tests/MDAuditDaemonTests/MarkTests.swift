import Foundation
import MDAuditClient
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport
import MDTestTimes
import Testing

@testable import MDAuditDaemon

/// Set-once marks that the service remembers.
@Suite(.timed)
struct MarkTests {
    /// A mark, which differs from others by its key.
    private func mark(_ key: String, of policy: String = "a.b") -> ServiceMark {
        ServiceMark(policy: Key(policy), occasion: "version 1", domain: "org.example.app", key: Key(key))
    }

    /// A machine whose policy sets a key once.
    private func machine() throws -> TemporaryMachine {
        let machine = try TemporaryMachine(.pupil)
        try machine.write(
            TemporaryMachine.policyDirectory + "/10-a.json",
            #"{ "Identifier": "a.b", "Version": 1, "SetOnce": { "org.example.app": { "Size": 14 } } }"#)
        return machine
    }

    @Test func `a mark is remembered, also by the next service, and recorded once`() throws {
        let machine = try TemporaryMachine(.pupil)
        let daemon = try RunningDaemon(machine)
        let client = try daemon.client()
        #expect(try client.ask(.marks([mark("A"), mark("B")], remembers: false)) == .marks([false, false]))
        #expect(try client.ask(.marks([mark("A")], remembers: true)) == .marks([false]))
        #expect(try client.ask(.marks([mark("B"), mark("A")], remembers: true)) == .marks([false, true]))
        #expect(try client.ask(.marks([mark("A", of: "other")], remembers: false)) == .marks([false]))
        #expect(try daemon.end(SIGKILL) == -SIGKILL)
        let next = try RunningDaemon(machine)
        #expect(try next.client().ask(.marks([mark("A"), mark("B")], remembers: true)) == .marks([true, true]))
        #expect(try next.end() == 0)
        let records = try machine.records().filter { $0.kind == .policy }
        #expect(records.map { $0.key } == ["A", "B"] && records.allSatisfy { $0.note == "set once, version 1" })
        #expect(records.allSatisfy { $0.uid == CurrentProcess.euid && $0.policy?.id == "a.b" })
    }

    @Test func `a user has 1,000 marks at most, and those stay`() throws {
        let daemon = try RunningDaemon(try TemporaryMachine(.pupil))
        let client = try daemon.client()
        let numbers = Array(0..<1_000)
        for start in stride(from: 0, to: numbers.count, by: 16) {
            let marks = numbers[start..<min(start + 16, numbers.count)].map { mark("K\($0)") }
            #expect(try client.ask(.marks(marks, remembers: true)) == .marks(marks.map { _ in false }))
        }
        #expect(try client.ask(.marks([mark("K0"), mark("more")], remembers: true)) == .dropped("full"))
        #expect(try client.ask(.marks([mark("K999"), mark("more")], remembers: false)) == .marks([true, false]))
        #expect(try daemon.end() == 0)
    }

    @Test func `messages of marks that are not valid are refused`() throws {
        let daemon = try RunningDaemon(try TemporaryMachine(.pupil))
        let client = try daemon.client()
        let line = String(decoding: mark("A").line, as: UTF8.self)
        let bad = [
            "MD1 1 marks remember\n", "MD1 1 marks what\n\(line)\n", "MD1 1 marks ask\n{}\n",
            "MD1 1 marks ask\n" + String(repeating: line + "\n", count: 17),
            "MD1 1 marks ask\n" + line.replacing("\"A\"", with: "1") + "\n",
            "MD1 1 marks ask\n" + line.dropLast() + ",\"more\":\"x\"}\n",
        ]
        for message in bad {
            guard case .invalid = try client.ask(Array(message.utf8), number: 1) else {
                Issue.record("accepted: \(message)")
                continue
            }
        }
        #expect(try client.ask(.marks([mark("A")], remembers: false)) == .marks([false]))
        #expect(try daemon.end() == 0)
    }

    @Test func `a user who removes the own marks gets nothing set again`() throws {
        let daemon = try RunningDaemon(try machine())
        let machine = daemon.machine
        let mdefaults = BuiltProgram.path("mdefaults")
        let read = ["--root", machine.path, "--user", "pupil", "read", "org.example.app", "Size"]
        let write = ["--root", machine.path, "--user", "pupil", "write", "org.example.app", "Other", "-int", "1"]
        #expect(try SpawnedProgram.run(mdefaults, write).code == 0)
        #expect(try SpawnedProgram.run(mdefaults, read).output == "14\n")
        try machine.remove("home/pupil/.local/state/managed-defaults")
        try machine.remove("home/pupil/.config/org.example.app.plist")
        #expect(try SpawnedProgram.run(mdefaults, read).code == 1)
        #expect(try SpawnedProgram.run(mdefaults, write).code == 0)
        #expect(try SpawnedProgram.run(mdefaults, read).code == 1)
        #expect(machine.names("home/pupil/.local/state/managed-defaults").contains("set-once.jsonl"))
        #expect(try daemon.end() == 0)
        #expect(try machine.records().filter { $0.note == "set once, version 1" }.count == 1)
    }
}
