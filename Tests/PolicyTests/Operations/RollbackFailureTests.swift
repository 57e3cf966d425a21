import Foundation
import Glibc
import Platform
import PropertyList
import Testing

@testable import Policy

/// Rollbacks that must not begin, cannot be written, or are taken back before they are over.
struct RollbackFailureTests {
    /// The administrator's directory.
    private static let directory = "/etc/managed-defaults/policies.d"

    /// Goes back, and says what was reported as changed.
    @discardableResult
    private static func rollBack(
        _ machine: TestMachine, to number: Int?, announce: (Generation) -> Bool = { _ in true }
    ) throws -> (result: RollbackResult, changes: [PolicyChange]) {
        var changes: [PolicyChange] = []
        let result = try PolicyStore(root: machine.root, thorough: true).rollBack(to: number, announce: announce) {
            changes += $0
            return true
        }
        return (result, changes)
    }

    /// A machine whose generation 1 has `10-a.json` and `20-b.json`, and whose generation 2, which is in place, has another
    /// `10-a.json` and `30-c.json`.
    private static func machine() throws -> TestMachine {
        let machine = try TestMachine()
        try machine.force("10-a.json", 1)
        try machine.force("20-b.json", 11)
        GenerationTests.apply(machine)
        try machine.force("10-a.json", 2)
        try machine.remove("\(directory)/20-b.json")
        try machine.force("30-c.json", 22)
        GenerationTests.apply(machine)
        return machine
    }

    /// Begins to roll a machine back to generation 1, whose files cannot be written; what keeps them from it.
    private static func interrupt(_ machine: TestMachine) throws -> WriteProtection {
        var protection: WriteProtection?
        #expect(throws: OperationError.self) {
            try rollBack(machine, to: 1) { _ in
                protection = WriteProtection(machine.directory.path + directory)
                return protection != nil
            }
        }
        return try #require(protection)
    }

    /// A directory that nobody can write in until this goes away; `nil` where that cannot be arranged.
    private final class WriteProtection {
        /// The directory.
        private let path: String

        /// Root needs a file system that is mounted read-only, and anybody else a mode.
        init?(_ path: String) {
            self.path = path
            guard getuid() == 0 else {
                guard chmod(path, 0o555) == 0 else { return nil }
                return
            }
            guard mount(path, path, nil, UInt(MS_BIND), nil) == 0 else { return nil }
            let flags = UInt(MS_BIND) | UInt(MS_REMOUNT) | UInt(MS_RDONLY)
            guard mount(nil, path, nil, flags, nil) == 0 else {
                umount2(path, Int32(MNT_DETACH))
                return nil
            }
        }

        deinit {
            if getuid() == 0 { umount2(path, Int32(MNT_DETACH)) } else { chmod(path, 0o755) }
        }
    }

    @Test func `a rollback writes no first record of half a look`() throws {
        let machine = try TestMachine()
        try machine.force("10-a.json", 1)
        GenerationTests.apply(machine)
        try machine.force("10-a.json", 2)
        try machine.force("00-r.json", 7, more: "\"Enforced\": true,", place: "run")
        GenerationTests.apply(machine)
        // What the folder of /run forces can no longer be told.
        try machine.setMode("/run/managed-defaults/policies.d", 0o777)
        for name in ["policy.record", "policy.table", "good"] {
            try machine.remove("/var/lib/managed-defaults/\(name)")
        }
        let before = try GenerationTests.content(machine)
        let applied = GenerationTests.apply(machine).set
        #expect(applied.uncertainty != nil)
        #expect(
            applied.diagnostics.contains {
                $0.message.hasSuffix(
                    "and no good copy of any of its files is in force, and nobody knows what else is forced")
            })
        let error = #expect(throws: OperationError.self) { try Self.rollBack(machine, to: 1) }
        #expect(error?.description.contains("not all of policy can be read") == true, "\(error as Any)")
        #expect(!machine.names("/var/lib/managed-defaults").contains("policy.record"))
        #expect(machine.load(renewing: false).uncertainty != nil)
        #expect(try GenerationTests.content(machine) == before)
        try machine.setMode("/run/managed-defaults/policies.d", 0o755)
        try Self.rollBack(machine, to: 1)
        #expect(try machine.level() == .integer(7))
    }

    @Test(arguments: [false, true]) func `what cannot be written is not put in force`(isMissing: Bool) throws {
        let machine = try Self.machine()
        if isMissing { try machine.remove(Self.directory) }
        let before = try machine.level()
        let path = machine.directory.path + (isMissing ? "/etc/managed-defaults" : Self.directory)
        let protection = try #require(WriteProtection(path))
        try withExtendedLifetime(protection) { () throws in
            var isAnnounced = false
            let numbers = GenerationStore(root: machine.root).numbers
            let error = #expect(throws: OperationError.self) {
                try Self.rollBack(machine, to: 1) { _ in
                    isAnnounced = true
                    return true
                }
            }
            #expect(error?.description.contains("nothing was changed") == true, "\(error as Any)")
            #expect(!isAnnounced)
            #expect(GenerationStore(root: machine.root).numbers == numbers)
            #expect(RecordedTable(root: machine.root).table.rollback == nil)
            #expect(try machine.level() == before)
        }
    }

    @Test func `what lies in place already needs nobody to write`() throws {
        let machine = try Self.machine()
        let protection = try #require(WriteProtection(machine.directory.path + Self.directory))
        try withExtendedLifetime(protection) { () throws in
            #expect(try Self.rollBack(machine, to: 2).result.target.number == 2)
            #expect(try machine.level() == .integer(22))
        }
    }

    @Test func `a rollback that cannot be written is told once and can be taken back`() throws {
        let machine = try Self.machine()
        var protection: WriteProtection?
        defer { protection = nil }
        var changes: [PolicyChange] = []
        let store = PolicyStore(root: machine.root, thorough: true)
        let error = #expect(throws: OperationError.self) {
            try store.rollBack(to: 1) { _ in
                protection = WriteProtection(machine.directory.path + Self.directory)
                return protection != nil
            } report: {
                changes += $0
                return true
            }
        }
        try #require(protection != nil)
        #expect(error?.description.contains("policy rollback 2 takes it back") == true, "\(error as Any)")
        #expect(try machine.level() == .integer(11))
        let paths = ["10-a.json", "20-b.json", "30-c.json"].map { "\(Self.directory)/\($0)" }
        #expect(changes.map(\.path).sorted() == paths, "what came in force is told when it does")
        for _ in 1...2 {
            changes = []
            let applied = store.apply {
                changes += $0; return true
            }
            #expect(changes.isEmpty && applied.set.changes.isEmpty, "and not again")
            #expect(applied.tableFailure == "a rollback is not over")
            #expect(applied.set.diagnostics.contains { $0.code == LintCode.notRecorded.rawValue })
            #expect(try machine.level() == .integer(11))
        }
        let unnamed = #expect(throws: OperationError.self) { try Self.rollBack(machine, to: nil) }
        #expect(unnamed?.description.contains("rollback to generation 1 is not over") == true, "\(unnamed as Any)")
        // To try again is no way out, and neither changes anything.
        let again = #expect(throws: OperationError.self) { try Self.rollBack(machine, to: 1) }
        #expect(again?.description.contains("nothing was changed") == true, "\(again as Any)")
        #expect(try machine.level() == .integer(11))
        let back = try Self.rollBack(machine, to: 2)
        #expect(back.result.target.number == 2)
        #expect(back.changes.map(\.path).sorted() == paths)
        #expect(try machine.level() == .integer(22))
        #expect(RecordedTable(root: machine.root).table.rollback == nil)
        #expect(GenerationTests.apply(machine).tableFailure == nil)
    }

    @Test func `a rollback of which half is written can be taken back`() throws {
        let machine = try Self.machine()
        let before = try GenerationTests.content(machine)
        _ = try Self.interrupt(machine)
        // As if the new file had been written, and nothing else: then the directory could not be written any more.
        try machine.force("20-b.json", 11)
        do {
            let protection = WriteProtection(machine.directory.path + Self.directory)
            defer { withExtendedLifetime(protection) {} }
            #expect(throws: OperationError.self) { try Self.rollBack(machine, to: 2) }
            #expect(try machine.level() == .integer(11))
            #expect(RecordedTable(root: machine.root).table.rollback?.target == 1)
        }
        // Whoever asks first ends what is not over; then there is nothing special about the way back.
        try Self.rollBack(machine, to: 2)
        #expect(try GenerationTests.content(machine) == before)
        #expect(try machine.level() == .integer(22))
    }

    @Test func `the end of a rollback is told when it is the end`() throws {
        let machine = try Self.machine()
        let protection = try Self.interrupt(machine)
        let store = PolicyStore(root: machine.root, thorough: true)
        var notes: [String] = []
        withExtendedLifetime(consume protection) {
            _ = store.apply {
                notes += $0.map(\.note); return true
            }
        }
        #expect(notes.isEmpty)
        // Any command of root ends it, not apply alone.
        _ = store.load(renewing: true) {
            notes += $0.map(\.note); return true
        }
        #expect(notes == ["the rollback to generation 1 that was interrupted is ended"])
        #expect(RecordedTable(root: machine.root).table.rollback == nil)
        #expect(machine.names(Self.directory) == ["10-a.json", "20-b.json"])
    }
}
