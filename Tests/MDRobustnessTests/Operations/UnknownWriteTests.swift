import Foundation
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport
import ManagedDefaults
import Testing

/// Writes that are refused because it is unknown what is forced: they are recorded, and are no override attempts.
struct UnknownWriteTests {
    /// A machine whose only policy file is broken and has no copy, so that every key counts as forced.
    private static func machine() throws -> TemporaryMachine {
        let machine = try TemporaryMachine()
        try machine.force("50-a", "Page", "value")
        #expect(try machine.applies())
        try FileManager.default.removeItem(atPath: machine.path + "/var/lib/managed-defaults/good")
        try machine.write("etc/managed-defaults/policies.d/50-a.json", "junk")
        return machine
    }

    /// The records of writes, oldest first.
    private static func writes(_ machine: TemporaryMachine) throws -> [AuditRecord] {
        try AuditLog(root: Root(directory: machine.path)).records().records.filter { $0.via != nil }
    }

    @Test func `an application's writes are recorded as damaged, and equal ones are counted`() throws {
        let machine = try Self.machine()
        do {
            let defaults = try ManagedDefaults(root: machine.path, user: "pupil", application: TemporaryMachine.domain)
            for _ in 1...20 {
                guard case .unavailable(.unknownPolicy(let words)) = defaults.set("secret", forKey: "Page") else {
                    Issue.record("something was stored")
                    return
                }
                #expect(words.contains("it is unknown whether it is forced"))
            }
            guard case .unavailable = defaults.removeObject(forKey: "Other") else {
                Issue.record("something was removed")
                return
            }
        }
        let records = try Self.writes(machine)
        #expect(records.allSatisfy { $0.kind == .damaged && $0.outcome == .refused && $0.policy == nil })
        #expect(records.allSatisfy { $0.domain == Key(TemporaryMachine.domain) && $0.user == "pupil" })
        #expect(records.allSatisfy { $0.note?.hasPrefix("what is forced is unknown: ") == true })
        let sets = records.filter { $0.key == "Page" }
        #expect(sets.allSatisfy { $0.via == .set } && sets.reduce(0) { $0 + ($1.count ?? 1) } == 20)
        #expect(sets.count <= 2, "\(sets.count)")
        #expect(records.filter { $0.key == "Other" }.map(\.via) == [.remove])
        let log = try machine.run([], "audit", "list")
        #expect(log.output.contains("damaged refused  \(TemporaryMachine.domain) Page: tried "))
        // Whether a key is sensitive is a thing that policy says.
        #expect(!log.output.contains("secret"))
        #expect(try machine.run([], "audit", "list", "--kind", "override").output.isEmpty)
    }

    @Test func `a command's writes are recorded as damaged, and change nothing`() throws {
        let machine = try Self.machine()
        let domain = TemporaryMachine.domain
        let commands: [(words: [String], key: Key?, via: WriteVia)] = [
            (["write", domain, "Page", "mine"], "Page", .cli), (["delete", domain, "Page"], "Page", .cli),
            (["delete", domain], nil, .cli), (["rename", domain, "Page", "Other"], "Page", .cli),
            (["write", domain, "List", "-array-add", "x"], "List", .cli),
        ]
        for command in commands {
            let result = try machine.run([], command.words)
            #expect(result.code == 4 && result.error.contains("cannot be told what is forced"), "\(result)")
        }
        let records = try Self.writes(machine)
        #expect(records.map(\.key) == commands.map(\.key))
        #expect(records.map(\.via) == commands.map(\.via))
        #expect(records.allSatisfy { $0.kind == .damaged && $0.outcome == .refused && $0.user == "pupil" })
        #expect(!FileManager.default.fileExists(atPath: machine.path + "/home/pupil/.config/\(domain).plist"))
        // A good file ends it, and the next write is an attempt.
        try machine.force("50-a", "Page", "value")
        #expect(try machine.run([], "write", domain, "Page", "mine").code == 3)
        #expect(try Self.writes(machine).last?.kind == .override)
    }
}
