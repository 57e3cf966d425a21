import Foundation
import Platform
import Policy
import PropertyList
import Testing

/// What is remembered from one process to the next.
struct StoreTests {
    /// Where the administrator's policy lies.
    static let directory = "/etc/managed-defaults/policies.d"

    /// Every file under `/var/lib` with what the kernel says of it.
    func state(_ machine: TestMachine) throws -> [String] {
        let base = machine.url("/var").path
        let names = try FileManager.default.subpathsOfDirectory(atPath: base).sorted()
        return try names.map { name in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(base)/\(name)")
            return "\(name) \(attributes[.systemFileNumber] ?? 0) \(attributes[.modificationDate] ?? 0)"
        }
    }

    @Test func `writes nothing while nothing changes`() throws {
        let machine = try TestMachine()
        try machine.force("50-a.json", 1)
        try machine.force("60-b.json", 2, place: "run")
        #expect(machine.load().areChangesRecorded)
        // The compiled table follows once everything has been still for a moment.
        let end = Date(timeIntervalSinceNow: 60)
        while !machine.names("/var/lib/managed-defaults").contains("policy.table") {
            machine.load()
            try #require(Date() < end)
        }
        let before = try state(machine)
        #expect(before.count >= 8)
        let again = machine.load()
        #expect(again.changes == [])
        #expect(!again.areChangesRecorded)
        #expect(try state(machine) == before)
    }

    @Test func `reports each change once`() throws {
        let machine = try TestMachine()
        let path = Self.directory + "/50-a.json"
        func notes() -> [String] {
            let set = machine.load()
            #expect(set.areChangesRecorded == !set.changes.isEmpty)
            #expect(machine.load().changes == [])
            return set.changes.map(\.note)
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
        let machine = try TestMachine()
        try machine.force("50-a.json", 1)
        let first = SHA256.hash(try machine.read(Self.directory + "/50-a.json"))
        #expect(machine.load().changes.map(\.to) == [first])
        try machine.force("50-a.json", 2)
        let change = try #require(machine.load(renewing: false).changes.first)
        #expect(change.from == first)
        #expect(change.to == SHA256.hash(try machine.read(Self.directory + "/50-a.json")))
    }

    @Test func `keeps changes that nobody could report`() throws {
        let machine = try TestMachine()
        try machine.force("50-a.json", 1)
        let store = PolicyStore(root: machine.root)
        let refused = store.load(renewing: true) { changes in changes.isEmpty }
        #expect(!refused.areChangesRecorded)
        #expect(refused.files.map(\.isRecorded) == [true])
        var reported: [PolicyChange] = []
        let set = store.load(renewing: true) { changes in
            reported = changes
            return true
        }
        #expect(set.areChangesRecorded)
        #expect(reported.map(\.note) == ["new"])
    }

    @Test func `says that a file is not recorded yet`() throws {
        let machine = try TestMachine()
        try machine.force("50-a.json", 1)
        #expect(machine.load(renewing: false).files.map(\.isRecorded) == [false])
        #expect(machine.names("/var").isEmpty)
        #expect(machine.load(renewing: true).files.map(\.isRecorded) == [true])
        #expect(machine.load(renewing: false).files.map(\.isRecorded) == [true])
    }

    @Test func `copies byte for byte and keeps one copy of each file`() throws {
        let machine = try TestMachine()
        for value in 1...3 {
            try machine.force("50-a.json", value)
            machine.load()
        }
        let names = machine.names("/var/lib/managed-defaults/good/etc")
        #expect(names.count == 1)
        let name = try #require(names.first)
        let copy = try machine.read("/var/lib/managed-defaults/good/etc/\(name)")
        #expect(copy == (try machine.read(Self.directory + "/50-a.json")))
        #expect(name == "50-a.json.3.\(SHA256.hash(copy).hex)")
    }

    @Test func `takes the newer of two copies that a crash left`() throws {
        let machine = try TestMachine()
        try machine.force("50-a.json", 1)
        machine.load()
        let old = Array("{ \"Identifier\": \"a.b\", \"Forced\": { \"org.example.App\": { \"Level\": 9 } } }".utf8)
        let good = "/var/lib/managed-defaults/good/etc"
        try machine.write("\(good)/50-a.json.0.\(SHA256.hash(old).hex)", old)
        try machine.write(Self.directory + "/50-a.json", "{")
        #expect(try machine.level() == .integer(1))
        try machine.force("50-a.json", 1)
        machine.load()
        #expect(machine.names(good).count == 1)
    }

    @Test func `lets a run file replace only once it was good`() throws {
        let machine = try TestMachine()
        let run = "/run/managed-defaults/policies.d/50-a.json"
        try machine.force("50-a.json", 1)
        try machine.write(run, "{")
        #expect(try machine.level(in: machine.load()) == .integer(1))
        try machine.force("50-a.json", 2, place: "run")
        #expect(try machine.level(in: machine.load()) == .integer(2))
        try machine.write(run, "{")
        let set = machine.load()
        #expect(try machine.level(in: set) == .integer(2))
        #expect(set.files.map(\.source) == [.lastGood])
        try machine.remove(run)
        try machine.link(run, to: "/dev/null")
        #expect(try machine.level(in: machine.load()) == nil)
        try machine.remove(run)
        #expect(try machine.level(in: machine.load()) == .integer(1))
    }

    @Test func `is unmanaged without either directory`() throws {
        let machine = try TestMachine()
        try machine.remove("/etc/managed-defaults")
        #expect(!machine.load().isManaged)
        try machine.makeDirectory("/run/managed-defaults")
        #expect(machine.load().isManaged)
    }

    @Test func `gives another digest whenever something else is in force`() throws {
        let machine = try TestMachine()
        var digests = [machine.load().digest]
        for value in 1...2 {
            try machine.force("50-a.json", value)
            digests.append(machine.load().digest)
        }
        try machine.write(Self.directory + "/50-a.json", "{")
        #expect(machine.load().digest == digests.last)
        #expect(Set(digests).count == 3)
    }

    @Test func `keeps the tags that were recorded while the file cannot be used`() throws {
        let machine = try TestMachine()
        #expect(machine.load().tags == [])
        try machine.write("/etc/managed-defaults/tags", "lab physics\n")
        #expect(machine.load().tags == ["lab", "physics"])
        try machine.setMode("/etc/managed-defaults/tags", 0o666)
        let set = machine.load()
        #expect(set.tags == ["lab", "physics"])
        #expect(set.problems.map(\.code) == ["unreadable"])
    }
}
