import Foundation
import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPolicyAdministration

/// Exams and grants that outlast a boot.
struct LastingPolicyTests {
    private static let run = "/run/managed-defaults/policies.d"
    private static let lasting = "/var/lib/managed-defaults/temporary"
    /// The end of the exams here.
    private static let end = Timestamp(microseconds: 4_000_000_000_000_000)

    /// A machine in a boot of its own.
    private func machine() throws -> TemporaryMachine {
        let machine = try TemporaryMachine()
        try boot(machine, "1")
        return machine
    }

    /// Begins another boot, which empties `/run`.
    private func boot(_ machine: TemporaryMachine, _ digit: String) throws {
        try? FileManager.default.removeItem(at: machine.url("run/managed-defaults"))
        let id = "\(digit)1111111-1111-1111-1111-111111111111\n"
        try machine.write("/proc/sys/kernel/random/boot_id", id)
    }

    /// A file of an exam that forces `Level`.
    private func file(_ name: String = "a.json", level: Int = 1, set: String = "math") throws -> TemporaryPolicy {
        let exam = TemporaryPolicy.Exam(set: set, end: LastingPolicyTests.end, reason: "", by: "root")
        let text = "{\"Forced\": {\"org.example.App\": {\"Level\": \(level), \"\(name)\": 1}}}"
        return try TemporaryPolicy(wrapping: Array(text.utf8), file: name, for: exam, shownPath: name)
    }

    /// Starts an exam as its verb does.
    private func start(
        _ machine: TemporaryMachine, _ files: [TemporaryPolicy], removing removed: [String] = [], isLasting: Bool = true
    ) throws {
        _ = try PolicyStore(root: machine.root).putTemporary(files, removing: removed, isLasting: isLasting)
        try PolicyStore(root: machine.root).record { _ in true }
    }

    private func names(_ machine: TemporaryMachine, _ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: machine.url(folder).path)) ?? []).sorted()
    }

    @Test func `a boot ends what was started until it, and nothing else, before anything has run`() throws {
        for isLasting in [true, false] {
            let machine = try machine()
            try machine.force("10-a.json", 7)
            try start(machine, [file()], isLasting: isLasting)
            #expect(try machine.level() == .integer(1))
            try boot(machine, "2")
            #expect(try machine.level() == .integer(isLasting ? 1 : 7))
            #expect(machine.load().problems.isEmpty)
            // A record of this boot says the same, though nothing else of the last one is left.
            var notes: [String] = []
            machine.apply {
                notes += $0.map(\.note); return true
            }
            #expect(try machine.level() == .integer(isLasting ? 1 : 7))
            #expect(names(machine, Self.run) == (isLasting ? ["00-exam-math-a.json"] : []))
            let words = "the exam math was interrupted by a boot, and is in force again until 2096-10-02T07:06:40Z"
            #expect(notes.contains(words) == isLasting, "\(notes)")
        }
    }

    @Test func `the unit brings files back without a new record, and says so once for an exam`() throws {
        let machine = try machine()
        try start(machine, [file("a.json"), file("b.json")])
        try boot(machine, "2")
        let record = machine.url("var/lib/managed-defaults/policy.record")
        let before = try Data(contentsOf: record)
        for count in [1, 0] {
            var notes: [String] = []
            try PolicyStore(root: machine.root).resumeTemporary {
                notes += $0.map(\.note); return false
            }
            #expect(notes.count == count, "\(notes)")
            #expect(names(machine, Self.run) == ["00-exam-math-a.json", "00-exam-math-b.json"])
        }
        #expect(try Data(contentsOf: record) == before)
    }

    @Test func `what goes from its folder goes from everywhere, and what goes from run alone comes back`() throws {
        let machine = try machine()
        try start(machine, [file("a.json"), file("b.json", level: 2)])
        for name in names(machine, Self.run) {
            try FileManager.default.removeItem(at: machine.url("\(Self.run)/\(name)"))
        }
        #expect(try machine.level() == .integer(1))
        machine.apply()
        #expect(names(machine, Self.run).count == 2)
        // As a stop that was killed between its steps.
        try FileManager.default.removeItem(at: machine.url("\(Self.lasting)/00-exam-math-a.json"))
        #expect(try machine.level() == .integer(1))
        machine.apply()
        #expect(try machine.level() == .integer(2))
        #expect(names(machine, Self.run) == ["00-exam-math-b.json"])
        // Where the folder itself is gone, nothing says that an exam was stopped.
        try FileManager.default.removeItem(at: machine.url(Self.lasting))
        machine.apply()
        #expect(try machine.level() == .integer(2))
        #expect(try PolicyStore(root: machine.root).forget { _ in true } == [])
        try boot(machine, "2")
        #expect(try machine.level() == .integer(2))
        #expect(try PolicyStore(root: machine.root).forget { _ in true } == [.run])
        #expect(try machine.level() == nil)
    }

    @Test func `a stop before the unit has run ends an exam, and forgetting does not`() throws {
        let machine = try machine()
        try start(machine, [file()])
        try boot(machine, "2")
        #expect(try PolicyStore(root: machine.root).forget { _ in true } == [])
        #expect(try machine.level() == .integer(1))
        try PolicyStore(root: machine.root).endTemporary(["00-exam-math-a.json"]) { _ in true }
        #expect(try machine.level() == nil)
    }

    @Test func `a start that was killed after its first step is completed, and a damaged file changes nothing`() throws
    {
        let machine = try machine()
        try start(machine, [file()])
        let newer = try file(level: 3)
        try machine.write("\(Self.lasting)/00-exam-math-a.json", String(decoding: newer.bytes, as: UTF8.self))
        try machine.write("\(Self.lasting)/00-exam-physics-a.json", String(decoding: newer.bytes, as: UTF8.self))
        #expect(try machine.level() == .integer(1))
        var notes: [String] = []
        machine.apply {
            notes += $0.map(\.note); return true
        }
        #expect(try machine.level() == .integer(3))
        #expect(names(machine, Self.run).count == 2)
        try machine.write("\(Self.lasting)/00-exam-math-a.json", "{")
        machine.apply()
        #expect(try machine.level() == .integer(3))
        try boot(machine, "2")
        #expect(try machine.level() == .integer(3))
        machine.apply()
        #expect(try machine.level() == .integer(3))
    }

    @Test func `an earlier start's files go in the same step as the new ones come`() throws {
        let machine = try machine()
        try start(machine, [file("a.json"), file("b.json")])
        let replaced = try PolicyStore(root: machine.root).putTemporary(
            [file("c.json")], removing: ["00-exam-math-a.json", "00-exam-math-b.json"], isLasting: true)
        #expect(names(machine, Self.run) == ["00-exam-math-c.json"])
        #expect(names(machine, Self.lasting) == ["00-exam-math-c.json"])
        // What is not recorded as gone is in force.
        #expect(machine.load().files.count == 3)
        try PolicyStore(root: machine.root).putBackTemporary(replaced)
        #expect(names(machine, Self.run) == ["00-exam-math-a.json", "00-exam-math-b.json"])
        #expect(names(machine, Self.lasting) == names(machine, Self.run))
    }

    @Test func `a folder that others can write to is said, and what is recorded stays in force`() throws {
        let machine = try machine()
        try start(machine, [file()])
        try boot(machine, "2")
        chmod(machine.url(Self.lasting).path, 0o777)
        #expect(throws: SystemError.self) { try PolicyStore(root: machine.root).resumeTemporary { _ in true } }
        machine.apply()
        #expect(try machine.level() == .integer(1))
        #expect(names(machine, Self.run) == [])
    }

    @Test func `what has ended by the clock goes after a day of running, however the clock stands`() throws {
        typealias Reading = TemporaryClock.Reading
        let (hour, end) = (Int64(3_600_000_000), Timestamp(microseconds: 12 * 3_600_000_000))
        let ends: [Key: Timestamp?] = ["a": end, "b": nil]
        func at(_ hours: Int64, up: Int64, _ boot: String = "1") -> Reading {
            Reading(time: Timestamp(microseconds: hours * hour), uptime: up * hour, boot: boot)
        }
        var clock = TemporaryClock(at(9, up: 0))
        // Set ahead by two days, seen for an hour, and back.
        #expect(clock.take(at(58, up: 1), ends: ends).events["a"] == .setAhead(by: 48 * hour))
        #expect(clock.take(at(59, up: 2), ends: ends).expired == [])
        #expect(clock.take(at(10, up: 1, "2"), ends: ends).events["a"] == .setBack)
        clock = TemporaryClock(at(9, up: 0))
        #expect(clock.take(at(13, up: 4), ends: ends).events.isEmpty)
        #expect(clock.take(at(15, up: 1, "2"), ends: ends).expired == [])
        #expect(clock.ended["a"] == hour)
        #expect(clock.take(at(37, up: 23, "2"), ends: ends).expired == [])
        #expect(clock.take(at(38, up: 24, "2"), ends: ends).expired == ["a"])
        clock = TemporaryClock(at(9, up: 0))
        #expect(
            clock.take(at(13, up: 0, "2"), ends: ends).events["a"]
                == .missed(lastSeen: Timestamp(microseconds: 9 * hour)))
    }

    @Test func `what the clock said is read again, and damage begins anew`() throws {
        let machine = try machine()
        var clock = TemporaryClock(.now(machine.root))
        clock.ended["00-exam a.json"] = 5
        try machine.write("/var/lib/managed-defaults/temporary.clock", String(decoding: clock.encoded, as: UTF8.self))
        #expect(TemporaryClock(root: machine.root) == clock)
        try machine.write("/var/lib/managed-defaults/temporary.clock", "x")
        #expect(TemporaryClock(root: machine.root) == nil)
    }

    @Test func `what is over is kept, and no finding of lint`() throws {
        let machine = try machine()
        let exam = TemporaryPolicy.Exam(set: "math", end: Timestamp(microseconds: 1_000_000), reason: "", by: "root")
        let text = "{\"Forced\": {\"org.example.App\": {\"Level\": 1}}}"
        try start(
            machine, [try TemporaryPolicy(wrapping: Array(text.utf8), file: "a.json", for: exam, shownPath: "a.json")])
        machine.apply()
        #expect(try machine.level() == nil)
        #expect(names(machine, Self.lasting).count == 1)
        let findings = Lint.run(machine.load(), root: machine.root)
        #expect(findings.filter { $0.file.hasSuffix("00-exam-math-a.json") } == [], "\(findings)")
    }
}
