import Foundation
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// A clock that is earlier than what the machine has recorded is noticed.
struct TimeFloorTests {
    @Test func `a record from the future means a clock that is behind`() throws {
        let folder = Scratch.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = folder + "/var/lib/managed-defaults"
        try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
        let root = try Root(directory: folder)
        /// A moment of the machine.
        func moment() -> Moment {
            Moment(time: Clock.now(), floor: TimeFloor(root: root), zones: ZoneDatabase(root: root))
        }
        #expect(!moment().isClockBehind)
        try Data("record".utf8).write(to: URL(fileURLWithPath: store + "/policy.record"))
        let now = moment()
        #expect(!now.isClockBehind && now.clockCatchesUp == nil)
        let ahead = Date(timeIntervalSinceNow: 3_600)
        try FileManager.default.setAttributes([.modificationDate: ahead], ofItemAtPath: store + "/policy.record")
        let behind = moment()
        #expect(behind.clockCatchesUp == nil, "nobody asked")
        #expect(behind.isClockBehind)
        let catchesUp = try #require(behind.clockCatchesUp)
        #expect(abs(Double(catchesUp.microseconds) / 1e6 - ahead.timeIntervalSince1970) < 0.001)
        // A target that has not begun counts as begun.
        let target = Target(include: Target.Clauses(), notBefore: Timestamp(microseconds: .max))
        #expect(target.time(at: behind, calendars: [:]).isOpen)
        #expect(!target.time(at: now, calendars: [:]).isOpen)
    }

    @Test func `what is recorded while the clock is behind does not make it right`() throws {
        let machine = try TemporaryMachine()
        try machine.force("10-a.json", 1)
        machine.apply()
        let record = machine.url("/var/lib/managed-defaults/policy.record").path
        let ahead = Date(timeIntervalSinceNow: 3_600)
        try FileManager.default.setAttributes([.modificationDate: ahead], ofItemAtPath: record)
        #expect(TimeFloor(root: machine.root).isAhead)
        let before = try machine.read("/var/lib/managed-defaults/policy.record")
        try machine.force("20-b.json", 2)
        machine.apply()
        #expect(try machine.read("/var/lib/managed-defaults/policy.record") != before)
        #expect(TimeFloor(root: machine.root).isAhead)
        // A caller that knows that the clock is right says so.
        #expect(try !PolicyStore(root: machine.root).forgetClock().isEmpty)
        #expect(!TimeFloor(root: machine.root).isAhead)
    }

    @Test func `the audit log's owner moves no clock forward`() throws {
        let folder = Scratch.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let log = folder + "/var/log/managed-defaults"
        try FileManager.default.createDirectory(atPath: log, withIntermediateDirectories: true)
        try Data("checkpoint".utf8).write(to: URL(fileURLWithPath: log + "/checkpoint"))
        let ahead = Date(timeIntervalSinceNow: 3_600)
        try FileManager.default.setAttributes([.modificationDate: ahead], ofItemAtPath: log + "/checkpoint")
        let floor = TimeFloor(root: try Root(directory: folder))
        #expect(!floor.isAhead && floor.time == nil)
    }

    @Test(arguments: ["policy.record", "policy.table", "policy.clock"])
    func `any of three files says that the clock is behind, until that is forgotten`(_ name: String) throws {
        let machine = try TemporaryMachine()
        try machine.force("10-a.json", 1)
        try #require(machine.apply().tableFailure == nil)
        let path = "/var/lib/managed-defaults/\(name)"
        let ahead = Date(timeIntervalSinceNow: 200_000)
        try FileManager.default.setAttributes([.modificationDate: ahead], ofItemAtPath: machine.url(path).path)
        #expect(TimeFloor(root: machine.root).isAhead)
        let record = try machine.read("/var/lib/managed-defaults/policy.record")
        let store = PolicyStore(root: machine.root)
        #expect(try store.forgetClock() == [path])
        #expect(!TimeFloor(root: machine.root).isAhead)
        #expect(try machine.read("/var/lib/managed-defaults/policy.record") == record)
        #expect(try machine.level() == .integer(1))
        #expect(try store.forgetClock() == [])
    }
}
