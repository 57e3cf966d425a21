import Foundation
import Glibc
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// A recorded name stays in force until a recording verb ends it.
struct RecordedNamesTests {
    /// The administrator's folder.
    private static let home = "/etc/managed-defaults"
    private static let directory = "\(home)/policies.d"
    private static let temporary = "/run/managed-defaults/policies.d"

    /// A machine with one recorded policy that forces `Level` to 1.
    private static func recorded() throws -> TemporaryMachine {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        try #require(machine.apply().isRecorded)
        return machine
    }

    /// Checks that `Level` is forced, by a copy of a missing file.
    private static func check(_ set: PolicySet, _ machine: TemporaryMachine, _ value: Int = 1) throws {
        #expect(try machine.level(in: set) == .integer(Integer(Int64(value))))
        #expect(set.files.map(\.source) == [.removed])
        #expect(set.knowledge.isDecisive && set.changes == [])
        #expect(set.diagnostics.contains { $0.code == LintCode.lastGood.rawValue })
    }

    @Test func `a missing name stays until two equal listings lack it`() throws {
        let machine = try Self.recorded()
        try machine.remove("\(Self.directory)/50-a.json")
        for _ in 0..<2 { try Self.check(machine.load(), machine) }
        // A verb that records something else scans once, and ends nothing.
        try PolicyStore(root: machine.root).record { _ in true }
        try Self.check(machine.load(), machine)
        let start = Clock.monotonicMicroseconds()
        let result = PolicyStore(root: machine.root, settlingTime: 50_000).apply { _ in true }
        #expect(Clock.monotonicMicroseconds() - start >= 50_000)
        #expect(result.isRecorded && result.changes.map(\.note) == ["removed"])
        #expect(try machine.level() == nil)
        #expect(machine.load().files.isEmpty)
        #expect(machine.names(FailingClosedTests.copies).isEmpty)
    }

    @Test func `a name that comes back before the second listing stays`() throws {
        let machine = try Self.recorded()
        let path = "\(Self.directory)/50-a.json"
        let content = try machine.read(path)
        try machine.remove(path)
        let store = PolicyStore(root: machine.root, settlingTime: 2_000_000)
        // It comes back while the first apply waits, or before that begins.
        let isBack = Guarded(false)
        let file = machine.url(path)
        Thread.detachNewThread {
            try? Data(content).write(to: file)
            chmod(file.path, 0o644)
            isBack.withLock { $0 = true }
        }
        #expect(store.apply { _ in true }.changes == [])
        while !isBack.withLock({ $0 }) { sched_yield() }
        #expect(machine.load().files.map(\.source) == [.current])
    }

    @Test func `after a rename both names apply until policy is applied`() throws {
        let machine = try Self.recorded()
        try FileManager.default.moveItem(
            at: machine.url("\(Self.directory)/50-a.json"), to: machine.url("\(Self.directory)/60-b.json"))
        #expect(machine.load().files.map(\.source) == [.removed, .current])
        machine.apply()
        #expect(machine.load().files.map(\.path) == ["\(Self.directory)/60-b.json"])
        #expect(try machine.level() == .integer(1))
    }

    @Test func `what was never recorded goes with its file`() throws {
        let machine = try Self.recorded()
        try machine.force("60-b.json", 2)
        #expect(try machine.level() == .integer(2))
        try machine.remove("\(Self.directory)/60-b.json")
        #expect(try machine.level() == .integer(1))
        #expect(machine.load().files.map(\.source) == [.current])
    }

    @Test(arguments: [home, directory])
    func `a folder that is swapped away lets nothing go`(_ path: String) throws {
        let machine = try Self.recorded()
        try FileManager.default.moveItem(at: machine.url(path), to: machine.url("/etc/away"))
        // Neither a reader that starts meanwhile nor a writer ends anything.
        for set in [machine.load(), machine.apply().set, machine.apply().set, machine.load()] {
            try Self.check(set, machine)
            #expect(set.problems.contains { $0.message.contains("mdefaults policy forget") })
        }
        #expect(machine.names(FailingClosedTests.copies).count == 1)
        try FileManager.default.moveItem(at: machine.url("/etc/away"), to: machine.url(path))
        let set = machine.load()
        #expect(set.files.map(\.source) == [.current])
        #expect(set.diagnostics == [] && set.changes == [])
    }

    @Test func `an empty directory in the place of another keeps the names`() throws {
        let machine = try Self.recorded()
        try FileManager.default.moveItem(at: machine.url(Self.home), to: machine.url("/etc/away"))
        try machine.makeDirectory(Self.directory)
        for _ in 0..<2 { try Self.check(machine.load(), machine) }
        try machine.remove(Self.home)
        try FileManager.default.moveItem(at: machine.url("/etc/away"), to: machine.url(Self.home))
        #expect(machine.apply().changes == [])
        #expect(machine.load().files.map(\.source) == [.current])
    }

    @Test(arguments: [home, directory])
    func `a forged directory keeps the names, and nothing in it is used`(_ path: String) throws {
        let machine = try Self.recorded()
        try FileManager.default.moveItem(at: machine.url(path), to: machine.url("/etc/away"))
        try machine.makeDirectory(Self.directory)
        for (name, value) in [("50-a.json", 66), ("60-b.json", 67)] { try machine.force(name, value) }
        try machine.setMode(path, 0o777)
        for set in [machine.load(), machine.apply().set, machine.apply().set, machine.load()] {
            #expect(try machine.level(in: set) == .integer(1))
            #expect(set.files.map(\.source) == [.lastGood])
            #expect(set.problems.contains { $0.code == LintCode.untrusted.rawValue })
            #expect(set.knowledge.isDecisive)
        }
    }

    @Test func `forget ends what is recorded of missing directories, and of no others`() throws {
        let machine = try Self.recorded()
        try machine.force("60-b.json", 2, place: "run")
        machine.apply()
        let store = PolicyStore(root: machine.root)
        #expect(try store.forget { _ in true } == [])
        // A file that is missing from its directory is for apply to end.
        try machine.remove("\(Self.directory)/50-a.json")
        #expect(try store.forget { _ in true } == [])
        try machine.remove(Self.directory)
        // What cannot be reported does not end.
        #expect(throws: OperationError.self) { try store.forget { _ in false } }
        #expect(machine.load().files.map(\.source) == [.removed, .current])
        var notes: [String] = []
        let places = try store.forget { changes in
            notes += changes.map { "\($0.path) \($0.note)" }
            return true
        }
        #expect(places == [.etc])
        #expect(notes == ["\(Self.directory)/50-a.json forgotten, because its directory is gone"])
        #expect(machine.load().files.map(\.path) == ["\(Self.temporary)/60-b.json"])
        #expect(machine.names(FailingClosedTests.copies).count == 1)
        try machine.remove("/run/managed-defaults")
        #expect(try machine.level() == .integer(2))
        #expect(try store.forget { _ in true } == [.run])
        #expect(machine.load().files.isEmpty && machine.names(FailingClosedTests.copies).isEmpty)
    }

    @Test func `what is recorded of run ends with the boot`() throws {
        let machine = try Self.recorded()
        /// Boots the machine.
        func boot(_ number: Int) throws {
            try machine.write("/proc/sys/kernel/random/boot_id", "00000000-0000-4000-8000-00000000000\(number)\n")
        }
        try boot(1)
        try machine.force("60-b.json", 2, place: "run")
        try machine.link("\(Self.temporary)/70-c.json", to: "/dev/null")
        try machine.force("70-c.json", 3)
        machine.apply()
        #expect(try machine.level() == .integer(2))
        try machine.remove("/run")
        #expect(try machine.level() == .integer(2))
        try boot(2)
        #expect(try machine.level() == .integer(3))
        #expect(machine.load().files.allSatisfy { $0.source == .current })
        let result = machine.apply()
        #expect(result.isRecorded && Set(result.changes.map(\.note)) == ["ended with the boot"])
        try boot(1)
        #expect(try machine.level() == .integer(3))
    }

    @Test func `links to dev null are recorded, and stay until policy is applied`() throws {
        let machine = try Self.recorded()
        try machine.force("60-b.json", 2, place: "run")
        try machine.link("\(Self.directory)/60-b.json", to: "/dev/null")
        machine.apply()
        #expect(try machine.level() == .integer(1))
        try machine.remove("\(Self.directory)/60-b.json")
        #expect(try machine.level() == .integer(1))
        // A name that cannot be used is not seen to be something else either.
        try machine.write("\(Self.directory)/60-b.json", "{")
        #expect(try machine.level() == .integer(1))
        try machine.remove("\(Self.directory)/60-b.json")
        machine.apply()
        #expect(try machine.level() == .integer(2))
    }
}
