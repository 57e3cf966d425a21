import Foundation
import MDAuditClient
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDAuditDaemon

/// Set-once marks that the service remembers.
struct MarkTests {
    /// A mark, which differs from others by its key.
    private func mark(_ key: String, of policy: String = "a.b") -> SetOnceMark {
        SetOnceMark(policy: Key(policy), occasion: "version 1", domain: "org.example.app", key: Key(key))
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
        #expect(try client.ask(.marks([mark("A"), mark("B")], .ask)) == .marks([false, false]))
        #expect(try client.ask(.marks([mark("A")], .remember)) == .marks([false]))
        #expect(try client.ask(.marks([mark("B"), mark("A")], .remember)) == .marks([false, true]))
        #expect(try client.ask(.marks([mark("A", of: "other")], .ask)) == .marks([false]))
        #expect(try daemon.end(SIGKILL) == -SIGKILL)
        let next = try RunningDaemon(machine)
        #expect(try next.client().ask(.marks([mark("A"), mark("B")], .remember)) == .marks([true, true]))
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
            #expect(try client.ask(.marks(marks, .remember)) == .marks(marks.map { _ in false }))
        }
        #expect(try client.ask(.marks([mark("K0"), mark("more")], .remember)) == .dropped("full"))
        #expect(try client.ask(.marks([mark("K999"), mark("more")], .ask)) == .marks([true, false]))
        #expect(try daemon.end() == 0)
    }

    @Test func `messages of marks that are not valid are refused`() throws {
        let daemon = try RunningDaemon(try TemporaryMachine(.pupil))
        let client = try daemon.client()
        let line = String(decoding: mark("A").line, as: UTF8.self)
        let bad = [
            "MD1 1 marks remember\n", "MD1 1 marks what\n\(line)\n", "MD1 1 marks ask\n{}\n",
            "MD1 1 marks ask 01\n\(line)\n", "MD1 1 marks ask 4294967296\n\(line)\n",
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
        #expect(try client.ask(.marks([mark("A")], .ask)) == .marks([false]))
        #expect(try daemon.end() == 0)
    }

    @Test func `each user has marks of their own, and what is adopted has no second record`() throws {
        let daemon = try RunningDaemon(try TemporaryMachine(.pupil))
        let client = try daemon.client()
        #expect(try client.ask(.marks([mark("A")], .remember, of: 70_001)) == .marks([false]))
        #expect(try client.ask(.marks([mark("A")], .ask)) == .marks([false]))
        #expect(try client.ask(.marks([mark("A"), mark("B")], .adopt)) == .marks([false, false]))
        #expect(try client.ask(.marks([mark("A"), mark("B")], .ask)) == .marks([true, true]))
        #expect(try client.ask(.marks([mark("A"), mark("B")], .ask, of: 70_001)) == .marks([true, false]))
        #expect(try daemon.end() == 0)
        let records = try daemon.machine.records().filter { $0.note == "set once, version 1" }
        #expect(records.map(\.uid) == [70_001])
    }

    /// The command line, for the pupil of the machine.
    private func run(_ machine: TemporaryMachine, _ words: String...) throws -> SpawnedProgram.Result {
        try SpawnedProgram.run(BuiltProgram.path("mdefaults"), ["--root", machine.path, "--user", "pupil"] + words)
    }

    /// Opens the domain as a program does that writes to it.
    private func open(_ machine: TemporaryMachine) throws -> SpawnedProgram.Result {
        try run(machine, "write", "org.example.app", "Other", "-int", "1")
    }

    /// The value that is set once, as programs find it; empty if it has none.
    private func size(_ machine: TemporaryMachine) throws -> String {
        try run(machine, "read", "org.example.app", "Size").output
    }

    /// The number of records of values that were set once.
    private func records(_ machine: TemporaryMachine) throws -> Int {
        try machine.records().count { $0.note == "set once, version 1" }
    }

    @Test func `with a service no mark is the user's, and nothing is set again`() throws {
        let daemon = try RunningDaemon(try machine())
        let machine = daemon.machine
        #expect(try open(machine).code == 0)
        #expect(try size(machine) == "14\n")
        #expect(!machine.names("home/pupil/.local/state/managed-defaults").contains("set-once.jsonl"))
        try machine.remove("home/pupil/.local/state/managed-defaults")
        try machine.remove("home/pupil/.config/org.example.app.plist")
        #expect(try size(machine) == "")
        #expect(try open(machine).code == 0)
        #expect(try size(machine) == "")
        // A service that does not answer may remember it.
        #expect(try daemon.end(SIGKILL) == -SIGKILL)
        #expect(try open(machine).error.contains("the audit service, which remembers what was set, does not answer"))
        #expect(try size(machine) == "")
        #expect(try records(machine) == 1)
    }

    @Test func `a service that comes later adopts the marks of the user's file`() throws {
        let machine = try machine()
        #expect(try open(machine).code == 0)
        #expect(machine.names("home/pupil/.local/state/managed-defaults").contains("set-once.jsonl"))
        #expect(try run(machine, "write", "org.example.app", "Size", "-int", "9").code == 0)
        let daemon = try RunningDaemon(machine)
        #expect(try open(machine).code == 0)
        try machine.remove("home/pupil/.local/state/managed-defaults")
        #expect(try open(machine).code == 0)
        #expect(try size(machine) == "9\n")
        #expect(try daemon.end() == 0)
        #expect(try records(machine) == 1)
    }

    @Test func `processes that start together set it once`() async throws {
        let daemon = try RunningDaemon(try machine())
        let machine = daemon.machine
        try await withThrowingTaskGroup(of: Int32.self) { group in
            for _ in 0..<4 { group.addTask { try open(machine).code } }
            for try await code in group { #expect(code == 0) }
        }
        #expect(try size(machine) == "14\n")
        #expect(try daemon.end() == 0)
        #expect(try records(machine) == 1)
    }
}
