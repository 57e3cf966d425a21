import Foundation
import MDPlatform
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import MDTools
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyStore

/// Generations of the sources, and going back to one.
struct GenerationTests {
    /// The administrator's directory.
    static let directory = "/etc/managed-defaults/policies.d"

    /// Applies policy.
    @discardableResult
    static func apply(_ machine: TemporaryMachine, retaining limit: Int = 20) -> ApplyResult {
        machine.apply(retaining: limit)
    }

    /// Goes back.
    @discardableResult
    static func rollBack(_ machine: TemporaryMachine, to number: Int? = nil) throws -> RollbackResult {
        try PolicyStore(root: machine.root).rollBack(to: number, announce: { _ in true }) { _ in true }
    }

    /// The files of the administrator's directory with their content.
    static func content(_ machine: TemporaryMachine) throws -> [String: [UInt8]] {
        var content: [String: [UInt8]] = [:]
        for name in machine.names(directory) where !name.hasPrefix("70-off") {
            content[name] = try machine.read("\(directory)/\(name)")
        }
        return content
    }

    @Test func `a generation that is damaged is not passed over, and is told`() throws {
        let machine = try TemporaryMachine()
        for level in 1...3 {
            try machine.force("50-a.json", level)
            GenerationTests.apply(machine)
        }
        let home = "/var/lib/managed-defaults/generations"
        #expect(GenerationStore(root: machine.root).faults.isEmpty)
        let good = try machine.read(home + "/2.manifest")
        try machine.write(home + "/2.manifest", "junk")
        let error = #expect(throws: OperationError.self) { try GenerationTests.rollBack(machine) }
        #expect(error?.description.contains("the manifest of generation 2 is damaged") == true)
        #expect(error?.description.contains("name the generation that is meant") == true)
        #expect(try machine.level() == .integer(3))
        #expect(GenerationStore(root: machine.root).faults.map(\.path) == [machine.url(home + "/2.manifest").path])
        #expect(try GenerationTests.rollBack(machine, to: 1).target.number == 1)
        #expect(try machine.level() == .integer(1))
        try machine.write(home + "/2.manifest", good)
        let object = try #require(machine.names(home + "/objects").first)
        try machine.write("\(home)/objects/\(object)", "junk")
        let faults = GenerationStore(root: machine.root).faults
        #expect(!faults.isEmpty && faults.allSatisfy { $0.reason.hasPrefix("1 of the files that generation ") })
        try machine.remove(home)
        #expect(GenerationStore(root: machine.root).faults.isEmpty)
        try machine.write(home, "a file")
        #expect(GenerationStore(root: machine.root).failure != nil)
        #expect(GenerationStore(root: machine.root).faults.map(\.path) == [machine.url(home).path])
    }

    @Test func `which generation the introductions reach is read from their beginning`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        GenerationTests.apply(machine)
        #expect(PolicyIntroductions.generation(in: machine.root) == 1)
        try machine.force("50-a.json", 2)
        GenerationTests.apply(machine)
        #expect(PolicyIntroductions.generation(in: machine.root) == 2)
        try machine.write(PolicyIntroductions.path, "junk")
        #expect(PolicyIntroductions.generation(in: machine.root) == nil)
    }

    @Test func `what changes while it is recorded is recorded in the same apply`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        var paths: [[String]] = []
        let result = machine.apply { changes in
            paths.append(changes.map(\.path))
            // Behind the look, and ahead of the record.
            if paths.count == 1 { try? machine.force("60-b.json", 2) }
            return true
        }
        #expect(result.tableFailure == nil)
        #expect(paths.map(\.count) == [1, 1])
        #expect(result.changes.map(\.path) == paths.flatMap(\.self))
        #expect(result.isRecorded)
        #expect(CompiledTable(root: machine.root) != nil)
        #expect(machine.load().changes.isEmpty)
    }

    @Test func `sources that never rest end an apply with a sentence`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        var count = 0
        let result = machine.apply { _ in
            count += 1
            try? machine.force("60-b.json", count)
            return true
        }
        #expect(count == 5)
        #expect(result.tableFailure?.contains("changed since they were recorded") == true)
    }

    @Test func `what keeps the table from being written is said`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        try machine.write("/var/lib/managed-defaults/policy.table/x", "")
        #expect(GenerationTests.apply(machine).tableFailure?.hasPrefix("it cannot be written: ") == true)
    }

    @Test func `an apply compiles the table and keeps the sources once`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        let first = GenerationTests.apply(machine)
        #expect(first.tableFailure == nil)
        #expect(first.generation?.number == 1)
        #expect(first.generation?.changes == [.init(kind: .added, name: "50-a.json")])
        #expect(CompiledTable(root: machine.root) != nil)
        #expect(GenerationTests.apply(machine).generation == nil)
        try machine.force("50-a.json", 2)
        try machine.force("60-b.json", 3)
        let second = try #require(GenerationTests.apply(machine).generation)
        #expect(second.changes == [.init(kind: .changed, name: "50-a.json"), .init(kind: .added, name: "60-b.json")])
        #expect(second.uid == getuid())
        #expect(try GenerationStore(root: machine.root).generation(2) == second)
        #expect(PolicyStore(root: machine.root).generationInPlace() == 2)
    }

    @Test func `a rollback puts every byte back and leaves foreign files alone`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        try machine.force("60-b.json", 2)
        try machine.write("\(GenerationTests.directory)/README", "ours")
        try machine.link("\(GenerationTests.directory)/70-off.json", to: "/dev/null")
        GenerationTests.apply(machine)
        let before = try GenerationTests.content(machine)
        try machine.force("50-a.json", 10)
        try machine.remove("\(GenerationTests.directory)/60-b.json")
        try machine.remove("\(GenerationTests.directory)/70-off.json")
        try machine.force("80-c.json", 3)
        let result = try GenerationTests.rollBack(machine)
        #expect(result.target.number == 1)
        // What was never applied is not lost either.
        #expect(result.saved?.number == 2)
        #expect(result.made?.number == 3)
        #expect(try GenerationTests.content(machine) == before)
        #expect(
            try FileManager.default.destinationOfSymbolicLink(
                atPath: machine.url("\(GenerationTests.directory)/70-off.json").path) == "/dev/null")
        #expect(try machine.level() == .integer(2))
        #expect(try GenerationTests.rollBack(machine, to: 2).target.number == 2)
        #expect(try machine.level() == .integer(3))
        #expect(machine.names(GenerationTests.directory) == ["50-a.json", "80-c.json", "README"])
    }

    @Test func `each rollback goes one further back`() throws {
        let machine = try TemporaryMachine()
        for value in 1...3 {
            try machine.force("10-a.json", value)
            GenerationTests.apply(machine)
        }
        for (target, value) in [(2, 2), (1, 1)] {
            let result = try GenerationTests.rollBack(machine)
            #expect(result.target.number == target)
            #expect(try machine.level() == .integer(Integer(Int64(value))))
        }
        #expect(throws: OperationError.self) { try GenerationTests.rollBack(machine) }
        // What was in place before is named, and comes back by its number.
        let forward = try GenerationTests.rollBack(machine, to: 3)
        #expect(forward.origin.number == 5)
        #expect(try machine.level() == .integer(3))
        #expect(try GenerationTests.rollBack(machine).target.number == 2)
        // What was edited and never applied goes first.
        try machine.force("10-a.json", 9)
        let edited = try GenerationTests.rollBack(machine)
        #expect(edited.target.number == 7 && edited.saved != nil)
        #expect(try machine.level() == .integer(2))
    }

    @Test(arguments: [nil, 1, 2]) func `a rollback puts the directory back`(_ number: Int?) throws {
        let machine = try TemporaryMachine()
        for value in 1...2 {
            try machine.force("10-a.json", value)
            GenerationTests.apply(machine)
        }
        let written = try GenerationTests.content(machine)
        try machine.remove(GenerationTests.directory)
        let applied = GenerationTests.apply(machine)
        #expect(applied.tableFailure != nil)
        #expect(applied.generation == nil && applied.generationFailure != nil)
        #expect(
            applied.set.diagnostics.contains { $0.message.contains("mdefaults policy forget") })
        var levels: [Value?] = []
        let result = try PolicyStore(root: machine.root).rollBack(to: number) { _ in
            levels.append(try? machine.level())
            return true
        } report: { _ in
            levels.append(try? machine.level())
            return true
        }
        // Each user is covered meanwhile: by the copies, and then by the generation.
        let value = Value.integer(Integer(Int64(number ?? 2)))
        #expect(levels.allSatisfy { $0 == .integer(2) || $0 == value } && !levels.isEmpty)
        #expect(result.target.number == number ?? 2 && result.saved?.entries.isEmpty == true)
        #expect(try machine.level() == value)
        if number != 1 { #expect(try GenerationTests.content(machine) == written) }
        let status = try machine.root.status(GenerationTests.directory, followingLinks: false)
        #expect(status.mode & 0o777 == 0o755)
        #expect(GenerationTests.apply(machine).tableFailure == nil)
    }

    @Test func `a machine without files has nothing to keep`() throws {
        let machine = try TemporaryMachine()
        for _ in 1...2 {
            let result = GenerationTests.apply(machine)
            #expect(result.generationFailure == nil)
            #expect(result.generation == nil)
        }
    }

    @Test func `a file that was broken comes back with its last good version in force`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        GenerationTests.apply(machine)
        try machine.write("\(GenerationTests.directory)/50-a.json", "{")
        #expect(GenerationTests.apply(machine).generation?.number == 2)
        try machine.force("50-a.json", 2)
        GenerationTests.apply(machine)
        #expect(try machine.level() == .integer(2))
        try GenerationTests.rollBack(machine, to: 2)
        #expect(try machine.read("\(GenerationTests.directory)/50-a.json") == Array("{".utf8))
        #expect(try machine.level() == .integer(1))
    }

    @Test func `a file that is not trusted is never made trusted`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        GenerationTests.apply(machine)
        try machine.force("50-a.json", 66)
        try machine.setMode("\(GenerationTests.directory)/50-a.json", 0o666)
        try machine.force("60-b.json", 67)
        try machine.setMode("\(GenerationTests.directory)/60-b.json", 0o666)
        let generation = try #require(GenerationTests.apply(machine).generation)
        #expect(generation.entries["50-a.json"]?.bytes == nil)
        #expect(generation.entries["60-b.json"] == Generation.Entry())
        try machine.force("50-a.json", 2)
        GenerationTests.apply(machine)
        try GenerationTests.rollBack(machine, to: generation.number)
        #expect(try machine.level() == .integer(1))
    }

    @Test func `a rollback that cannot be recorded changes nothing`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        GenerationTests.apply(machine)
        try machine.force("50-a.json", 2)
        let store = PolicyStore(root: machine.root)
        #expect(throws: OperationError.self) {
            try store.rollBack(to: 1, announce: { _ in false }) { _ in true }
        }
        #expect(try machine.level() == .integer(2))
        #expect(throws: OperationError.self) { try GenerationTests.rollBack(machine, to: 9) }
        let digest = try #require(try GenerationStore(root: machine.root).generation(1).entries["50-a.json"]?.bytes)
        try machine.write(GenerationStore.path(digest), "other bytes")
        #expect(throws: OperationError.self) { try GenerationTests.rollBack(machine, to: 1) }
        #expect(try machine.level() == .integer(2))
        #expect(machine.names("/etc/managed-defaults") == ["policies.d"])
    }

    @Test func `only the last generations stay`() throws {
        let machine = try TemporaryMachine()
        for level in 1...7 {
            try machine.force("50-a.json", level)
            GenerationTests.apply(machine, retaining: 3)
        }
        #expect(GenerationStore(root: machine.root).numbers == [5, 6, 7])
        #expect(machine.names("/var/lib/managed-defaults/generations/objects").count == 3)
        #expect(throws: OperationError.self) { try GenerationTests.rollBack(machine, to: 4) }
        try GenerationTests.rollBack(machine, to: 5)
        #expect(try machine.level() == .integer(5))
    }

    @Test func `what was damaged in an earlier generation is stored again`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        let bytes = try machine.read("\(GenerationTests.directory)/50-a.json")
        GenerationTests.apply(machine)
        let path = GenerationStore.path(SHA256.hash(bytes))
        try machine.write(path, "other bytes")
        try machine.force("60-b.json", 2)
        #expect(GenerationTests.apply(machine).generation?.number == 2)
        #expect(try machine.read(path) == bytes)
    }

    @Test func `fewer generations stay even if nothing changed`() throws {
        let machine = try TemporaryMachine()
        for level in 1...4 {
            try machine.force("50-a.json", level)
            GenerationTests.apply(machine)
        }
        #expect(GenerationTests.apply(machine, retaining: 2).generation == nil)
        #expect(GenerationStore(root: machine.root).numbers == [3, 4])
        #expect(machine.names("/var/lib/managed-defaults/generations/objects").count == 2)
    }

    @Test func `nothing is kept that changed since the look`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        let store = PolicyStore(root: machine.root)
        let scan = store.scan(.recording(store.verifications, PolicyRecordEdit()))
        let draft = try GenerationDraft(scan)
        let reading = try GenerationDraft(store.scan(.reading))
        let bytes = try draft.bytes(without: [])
        #expect(bytes.count == 1)
        try machine.force("50-a.json", 2)
        // A recording scan has read the bytes that the record has; any other reads them now.
        #expect(try draft.bytes(without: []) == bytes)
        #expect(throws: TrustError.self) { try reading.bytes(without: []) }
        #expect(try draft.bytes(without: draft.digests).isEmpty)
        try machine.force("60-b.json", 3)
        #expect(throws: TrustError.self) { try GenerationDraft(scan) }
        try machine.remove("\(GenerationTests.directory)/60-b.json")
        try machine.remove("\(GenerationTests.directory)/50-a.json")
        #expect(throws: TrustError.self) { try GenerationDraft(scan) }
        #expect(try GenerationDraft(store.scan(.recording(store.verifications, PolicyRecordEdit()))).entries.isEmpty)
    }

    @Test func `every damage of a manifest is seen`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        GenerationTests.apply(machine)
        let path = "/var/lib/managed-defaults/generations/1.manifest"
        let bytes = try machine.read(path)
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 1
            #expect(throws: StoredFileError.self) { try Generation(decoding: damaged) }
            #expect(throws: StoredFileError.self) { try Generation(decoding: Array(bytes.prefix(index))) }
        }
        try machine.write(path, Array(bytes.dropLast()))
        #expect(throws: OperationError.self) { try GenerationTests.rollBack(machine, to: 1) }
        // A damaged manifest does not prevent an apply.
        #expect(GenerationTests.apply(machine).generation?.number == 2)
    }

    @Test func `other names of the directory are carried over`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        GenerationTests.apply(machine)
        try machine.force("50-a.json", 2)
        let names = ["README", ".gitignore", "50-a.json~", ".50-a.json.swp", "50-a.json.orig"]
        for name in names {
            try machine.write("\(GenerationTests.directory)/\(name)", name)
            try machine.setMode("\(GenerationTests.directory)/\(name)", 0o640)
        }
        try machine.link("\(GenerationTests.directory)/notes", to: "../nowhere/at all")
        try machine.setMode("\(GenerationTests.directory)/50-a.json", 0o600)
        try machine.setMode(GenerationTests.directory, 0o700)
        /// What the kernel says of each other file.
        func inodes() throws -> [UInt64] {
            try names.map { name in
                let status = try machine.root.status("\(GenerationTests.directory)/\(name)", followingLinks: false)
                #expect(status.mode == 0o640 && status.links == 1)
                return status.inode
            }
        }
        let before = try inodes()
        let mask = umask(0o077)
        defer { umask(mask) }
        try GenerationTests.rollBack(machine, to: 1)
        #expect(try inodes() == before)
        #expect(machine.names(GenerationTests.directory) == (names + ["notes", "50-a.json"]).sorted())
        #expect(try machine.root.linkTarget("\(GenerationTests.directory)/notes") == "../nowhere/at all")
        let modes = ["", "/50-a.json"].map {
            try? machine.root.status(GenerationTests.directory + $0, followingLinks: false).mode
        }
        #expect(modes == [0o755, 0o644])
        #expect(machine.names("/etc/managed-defaults") == ["policies.d"])
    }
}
