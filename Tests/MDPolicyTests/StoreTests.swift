import Foundation
import Glibc
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTestSupport
import Testing

/// The state that is stored from one process to the next.
struct StoreTests {
    static let directory = "/etc/managed-defaults/policies.d"

    /// Every file under `/var/lib` with what the kernel says of it.
    func state(_ machine: TemporaryMachine) throws -> [String] {
        let base = machine.url("/var").path
        let names = try FileManager.default.subpathsOfDirectory(atPath: base).sorted()
        return try names.map { name in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(base)/\(name)")
            return "\(name) \(attributes[.systemFileNumber] ?? 0) \(attributes[.modificationDate] ?? 0)"
        }
    }

    @Test func `writes nothing while nothing changes`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        try machine.force("60-b.json", 2, place: "run")
        let first = machine.apply()
        #expect(first.isRecorded && first.tableFailure == nil)
        let before = try state(machine)
        #expect(before.count >= 8)
        let again = machine.apply()
        #expect(again.isRecorded && again.changes == [])
        _ = machine.load()
        #expect(try state(machine) == before)
    }

    @Test func `a reader writes nothing, whatever it finds`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        _ = machine.load()
        #expect(machine.names("/var").isEmpty)
        machine.apply()
        let before = try state(machine)
        try machine.force("50-a.json", 2)
        #expect(try machine.level() == .integer(2))
        try machine.remove(Self.directory + "/50-a.json")
        #expect(try machine.level() == .integer(1))
        #expect(try state(machine) == before)
    }

    @Test func `reports each change once`() throws {
        let machine = try TemporaryMachine()
        let path = Self.directory + "/50-a.json"
        func notes() -> [String] {
            let result = machine.apply()
            #expect(result.isRecorded)
            #expect(machine.load().changes == [])
            #expect(machine.apply().changes == [])
            return result.changes.map(\.note)
        }
        try machine.force("50-a.json", 1)
        #expect(notes() == ["new"])
        try machine.force("50-a.json", 2)
        #expect(notes() == ["changed"])
        try machine.write(path, "{")
        #expect(notes() == ["cannot be used as it is; the last good copy is in force"])
        try machine.force("50-a.json", 3)
        #expect(notes() == ["mended"])
        try machine.remove(path)
        #expect(notes() == ["removed"])
        try machine.write(path, "{")
        #expect(notes() == ["cannot be used as it is; nothing of it is in force"])
    }

    @Test func `carries digests in its changes`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        let first = SHA256.hash(try machine.read(Self.directory + "/50-a.json"))
        #expect(machine.apply().changes.map(\.to) == [first])
        try machine.force("50-a.json", 2)
        let change = try #require(machine.load().changes.first)
        #expect(change.from == first)
        #expect(change.to == SHA256.hash(try machine.read(Self.directory + "/50-a.json")))
    }

    @Test func `keeps changes that could not be reported`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        let refused = machine.apply { changes in changes.isEmpty }
        #expect(!refused.isRecorded)
        #expect(machine.load().files.map(\.isRecorded) == [false])
        var reported: [PolicyChange] = []
        let result = machine.apply { changes in
            reported += changes
            return true
        }
        #expect(result.isRecorded)
        #expect(reported.map(\.note) == ["new"])
    }

    @Test func `says that a file is not recorded yet`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        #expect(machine.load().files.map(\.isRecorded) == [false])
        machine.apply()
        #expect(machine.load().files.map(\.isRecorded) == [true])
    }

    @Test func `copies byte for byte, and keeps the copies that the record speaks of`() throws {
        let machine = try TemporaryMachine()
        for value in 1...3 {
            try machine.force("50-a.json", value)
            machine.apply()
        }
        let content = try machine.read(Self.directory + "/50-a.json")
        try machine.write(Self.directory + "/60-same.json", content)
        machine.apply()
        let names = machine.names(FailingClosedTests.copies)
        #expect(names == [SHA256.hash(content).hex])
        #expect(try machine.read("\(FailingClosedTests.copies)/\(names[0])") == content)
    }

    @Test func `everybody reads the copy of a file that its owner alone can read`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        try machine.setMode(Self.directory + "/50-a.json", 0o600)
        let mask = umask(0o077)
        machine.apply()
        umask(mask)
        let home = "/var/lib/managed-defaults"
        let paths = ["", "/good", "/policy.record"] + machine.names(FailingClosedTests.copies).map { "/good/\($0)" }
        let modes = try paths.map { path in
            try machine.root.status(home + path, followingLinks: false).mode & 0o7777
        }
        #expect(modes == [0o755, 0o755, 0o644, 0o644])
    }

    @Test func `lets a run file replace only once it was good`() throws {
        let machine = try TemporaryMachine()
        let run = "/run/managed-defaults/policies.d/50-a.json"
        try machine.force("50-a.json", 1)
        try machine.write(run, "{")
        machine.apply()
        #expect(try machine.level() == .integer(1))
        try machine.force("50-a.json", 2, place: "run")
        machine.apply()
        #expect(try machine.level() == .integer(2))
        try machine.write(run, "{")
        let set = machine.load()
        #expect(try machine.level(in: set) == .integer(2))
        #expect(set.files.map(\.source) == [.lastGood])
        try machine.remove(run)
        try machine.link(run, to: "/dev/null")
        #expect(try machine.level() == nil)
        machine.apply()
        try machine.remove(run)
        // That it was switched off is recorded as well.
        #expect(try machine.level() == nil)
        machine.apply()
        #expect(try machine.level() == .integer(1))
    }

    @Test func `is unmanaged without either directory and without the service`() throws {
        let machine = try TemporaryMachine()
        try machine.remove("/etc/managed-defaults")
        #expect(!machine.load().isManaged)
        for path in [
            "/run/managed-defaults", "/var/lib/managed-defaults", "/etc/managed-defaults", RunFolder.serviceSocket,
        ] {
            try machine.makeDirectory(path)
            #expect(machine.load().isManaged)
            try machine.remove(path)
            #expect(!machine.load().isManaged)
        }
    }

    @Test func `gives another digest whenever something else is in force`() throws {
        let machine = try TemporaryMachine()
        var digests = [machine.load().digest]
        for value in 1...2 {
            try machine.force("50-a.json", value)
            digests.append(machine.load().digest)
        }
        machine.apply()
        try machine.write(Self.directory + "/50-a.json", "{")
        #expect(machine.load().digest == digests.last)
        #expect(Set(digests).count == 3)
    }

    @Test func `keeps the tags that were recorded while the file cannot be used`() throws {
        let machine = try TemporaryMachine()
        #expect(machine.load().tags == [])
        try machine.write("/etc/managed-defaults/tags", "lab physics\n")
        #expect(machine.apply().set.tags == ["lab", "physics"])
        try machine.setMode("/etc/managed-defaults/tags", 0o666)
        let set = machine.load()
        #expect(set.tags == ["lab", "physics"])
        #expect(set.problems.map(\.code) == ["unreadable"])
    }
}
