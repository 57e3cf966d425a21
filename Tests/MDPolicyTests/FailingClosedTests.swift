import Foundation
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTestSupport
import Testing

/// A damaged file stays in force by its recorded copy.
struct FailingClosedTests {
    static let directory = "/etc/managed-defaults/policies.d"
    static let copies = "/var/lib/managed-defaults/good"

    /// A machine with one recorded policy that forces `Level` to 1.
    func recorded() throws -> TemporaryMachine {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        #expect(machine.apply().isRecorded)
        let set = machine.load()
        #expect(set.files.map(\.isRecorded) == [true])
        #expect(set.problems == [])
        return machine
    }

    /// The kinds of damage to a valid file.
    enum Damage: CaseIterable {
        case empty, garbage, wrongType, othersCanWrite, directory, fifo, danglingLink, directoryIsUntrusted
        case directoryIsMissing, directoryIsAFile, parentIsUntrusted

        /// What of the file is in force then.
        var source: PolicyFileState.Source { self == .directoryIsMissing ? .removed : .lastGood }

        /// Does it.
        func apply(to machine: TemporaryMachine) throws {
            let path = FailingClosedTests.directory + "/50-a.json"
            switch self {
            case .empty: try machine.write(path, "")
            case .garbage: try machine.write(path, "{ \"Identifier\": ")
            case .wrongType: try machine.write(path, "{ \"Identifier\": \"a.b\", \"Sealed\": {} }")
            case .othersCanWrite: try machine.setMode(path, 0o666)
            case .directory:
                try machine.remove(path)
                try machine.makeDirectory(path)
            case .fifo:
                try machine.remove(path)
                #expect(mkfifo(machine.url(path).path, 0o644) == 0)
            case .danglingLink:
                try machine.remove(path)
                try machine.link(path, to: "/nowhere")
            case .directoryIsUntrusted: try machine.setMode(FailingClosedTests.directory, 0o777)
            case .directoryIsMissing: try machine.remove(FailingClosedTests.directory)
            case .directoryIsAFile:
                try machine.remove(FailingClosedTests.directory)
                try machine.write(FailingClosedTests.directory, "x")
            case .parentIsUntrusted: try machine.setMode("/etc/managed-defaults", 0o777)
            }
        }
    }

    @Test(arguments: Damage.allCases)
    func `keeps the last good copy in force`(_ damage: Damage) throws {
        let machine = try recorded()
        try damage.apply(to: machine)
        // Twice: neither the first process that reads the damaged file nor what it records removes the copy.
        for set in [machine.load(), machine.apply().set, machine.apply().set, machine.load()] {
            #expect(try machine.level(in: set) == .integer(1))
            #expect(set.knowledge.isDecisive)
            #expect(set.files.map(\.source) == [damage.source])
            #expect(set.files.first?.diagnostics.map(\.code).contains("last-good") == true)
        }
        if damage == .parentIsUntrusted { try machine.setMode("/etc/managed-defaults", 0o755) }
    }

    @Test(.enabled(if: getuid() != 0, "root reads whatever its mode is"))
    func `keeps the copy of what it may not read`() throws {
        let machine = try recorded()
        for path in [Self.directory + "/50-a.json", Self.directory, "/etc/managed-defaults"] {
            try machine.setMode(path, 0)
            let set = machine.load()
            try machine.setMode(path, 0o755)
            #expect(try machine.level(in: set) == .integer(1))
        }
    }

    /// The obstacles to reading the policy of a machine without a policy record.
    enum Obstacle: CaseIterable {
        case directoryIsUntrusted, parentIsUntrusted, directoryLeadsToNothing, directoryIsAFile, parentLeadsToNothing

        /// Creates the obstacle.
        func apply(to machine: TemporaryMachine) throws {
            let directory = FailingClosedTests.directory
            switch self {
            case .directoryIsUntrusted: try machine.setMode(directory, 0o777)
            case .parentIsUntrusted: try machine.setMode("/etc/managed-defaults", 0o777)
            case .directoryLeadsToNothing:
                try machine.remove(directory)
                try machine.link(directory, to: "/mnt/policies")
            case .directoryIsAFile:
                try machine.remove(directory)
                try machine.write(directory, "x")
            case .parentLeadsToNothing:
                try machine.remove("/etc/managed-defaults")
                try machine.link("/etc/managed-defaults", to: "/mnt/managed")
            }
        }
    }

    @Test(arguments: Obstacle.allCases)
    func `what could not be read yet is never recorded as not in force`(_ obstacle: Obstacle) throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        try obstacle.apply(to: machine)
        for isApplying in [false, true, true] {
            let set = isApplying ? machine.apply().set : machine.load()
            #expect(!set.knowledge.isDecisive)
            #expect(set.problems.contains { $0.code == LintCode.untrusted.rawValue })
            #expect(set.problems.contains { $0.code == LintCode.notRecorded.rawValue } == isApplying)
            #expect(!machine.names("/var/lib/managed-defaults").contains("policy.record"))
        }
        let applied = machine.apply()
        #expect(applied.generation == nil)
        #expect(!applied.set.knowledge.isDecisive)
        guard obstacle == .directoryIsUntrusted || obstacle == .parentIsUntrusted else { return }
        try machine.setMode(FailingClosedTests.directory, 0o755)
        try machine.setMode("/etc/managed-defaults", 0o755)
        machine.apply()
        let set = machine.load()
        #expect(try machine.level(in: set) == .integer(1))
        #expect(set.knowledge.isDecisive && set.files.map(\.isRecorded) == [true])
    }

    @Test func `forces nothing by a file that never was good, and says so`() throws {
        let machine = try TemporaryMachine()
        try machine.write(Self.directory + "/50-a.json", "{")
        for source in [PolicyFileState.Source.notRecorded, .none] {
            let set = machine.load()
            #expect(set.files.map(\.source) == [source])
            #expect(set.knowledge.isDecisive)
            #expect(try machine.level(in: set) == nil)
            #expect(set.diagnostics.map(\.code) == ["truncated", "not-in-force"])
            machine.apply()
        }
    }

    @Test func `a copy that is damaged is written anew, and is not used`() throws {
        let machine = try recorded()
        let path = "\(Self.copies)/\(try #require(machine.names(Self.copies).first))"
        let whole = try machine.read(path)
        try machine.write(path, Array(whole.dropLast()) + [0x20])
        // The file itself is good, so no copy is read.
        #expect(machine.load().knowledge.isDecisive)
        let store = PolicyStore(root: machine.root)
        #expect(store.copyFaults().map(\.code) == ["damaged-copy"])
        machine.apply()
        #expect(try machine.read(path) == whole)
        #expect(store.copyFaults() == [])
        try machine.write(path, "{}")
        try machine.write(Self.directory + "/50-a.json", "{")
        let set = machine.load()
        #expect(!set.knowledge.isDecisive)
        #expect(set.files.map(\.source) == [.lastGood])
        #expect(set.files.first?.policy == nil)
        #expect(set.files.first?.diagnostics.map(\.code) == ["truncated", "damaged-copy", "not-in-force"])
    }

    /// The kinds of damage to the recorded copies.
    enum Loss: CaseIterable {
        case copyRemoved, copyDamaged, allRemoved, othersCanWrite

        /// Does it.
        func apply(to machine: TemporaryMachine) throws {
            let copies = FailingClosedTests.copies
            let name = try #require(machine.names(copies).first)
            switch self {
            case .copyRemoved: try machine.remove("\(copies)/\(name)")
            case .copyDamaged: try machine.write("\(copies)/\(name)", "{}")
            case .allRemoved: try machine.remove(copies)
            case .othersCanWrite: try machine.setMode(copies, 0o777)
            }
        }
    }

    @Test(arguments: Damage.allCases, Loss.allCases)
    func `does not know what is in force once file and copy are lost`(_ damage: Damage, _ loss: Loss) throws {
        let machine = try recorded()
        try loss.apply(to: machine)
        try damage.apply(to: machine)
        // What a writer records does not make it known either.
        for set in [machine.load(), machine.apply().set, machine.apply().set, machine.load()] {
            #expect(!set.knowledge.isDecisive)
            #expect(set.changes == [])
            #expect(set.files.map(\.isLost) == [true])
        }
        try? machine.remove(Self.directory)
        try machine.makeDirectory(Self.directory)
        try machine.setMode("/etc/managed-defaults", 0o755)
        // Two listings say now that the file was removed.
        #expect(machine.apply().changes.map(\.note) == ["removed"])
        #expect(machine.load().knowledge.isDecisive)
    }

    @Test func `does not know what an untrusted directory holds on a machine without a record`() throws {
        let machine = try recorded()
        try machine.remove("/var/lib/managed-defaults")
        try machine.setMode(Self.directory, 0o777)
        #expect(!machine.load().knowledge.isDecisive)
        try machine.setMode(Self.directory, 0o755)
        #expect(machine.load().knowledge.isDecisive)
    }

    @Test func `survives a truncation at every byte`() throws {
        let machine = try TemporaryMachine()
        let name = Self.directory + "/50-a.json"
        try machine.force("10-other.json", 7)
        try machine.force("50-a.json", 1, more: "\"Version\": 12, ")
        let whole = try machine.read(name)
        machine.apply()
        for length in 0..<whole.count {
            try machine.write(name, Array(whole[..<length]))
            let set = machine.load()
            let isLoadable = PolicyFile.parse(bytes: Array(whole[..<length]), path: name).file != nil
            #expect(set.files.map(\.source) == [.current, isLoadable ? .current : .lastGood])
            #expect(try isLoadable || machine.level(in: set) == .integer(1))
        }
    }

    @Test func `survives a flip of every byte`() throws {
        let machine = try TemporaryMachine()
        let name = Self.directory + "/50-a.json"
        try machine.force("50-a.json", 1)
        let whole = try machine.read(name)
        machine.apply()
        for index in whole.indices {
            for mask: UInt8 in [0x01, 0x20, 0x80] {
                var bytes = whole
                bytes[index] ^= mask
                try machine.write(name, bytes)
                let set = machine.load()
                if set.files.map(\.source) == [.lastGood] {
                    #expect(try machine.level(in: set) == .integer(1))
                } else {
                    #expect(set.files.map(\.source) == [.current])
                    #expect(set.changes.map(\.note) == ["changed"])
                }
            }
        }
    }

    @Test func `a damaged record takes nothing away while every file is good`() throws {
        let machine = try recorded()
        let path = "/var/lib/managed-defaults/policy.record"
        let whole = try machine.read(path)
        for length in stride(from: 0, to: whole.count, by: 3) {
            for flips in [false, true] {
                var bytes = flips ? whole : Array(whole[..<length])
                if flips { bytes[length] ^= 0x04 }
                try machine.write(path, bytes)
                let set = machine.load()
                #expect(try machine.level(in: set) == .integer(1))
                #expect(set.knowledge.isDecisive)
                #expect(set.problems.map(\.code) == ["damaged-table"])
            }
        }
        // The loss is reported, and the record is what it was.
        var notes: [String] = []
        let result = machine.apply { changes in
            notes += changes.filter { $0.path == path }.map(\.note)
            return true
        }
        #expect(result.isRecorded)
        #expect(notes.count == 1 && notes[0].hasPrefix("the record could not be used"), "\(notes)")
        #expect(try machine.read(path) == whole)
    }

    /// The kinds of damage to the policy record.
    enum RecordLoss: CaseIterable {
        case damaged, othersCanWrite, directory

        /// Does it.
        func apply(to machine: TemporaryMachine) throws {
            let path = "/var/lib/managed-defaults/policy.record"
            switch self {
            case .damaged: try machine.write(path, "x")
            case .othersCanWrite: try machine.setMode(path, 0o666)
            case .directory:
                try machine.remove(path)
                try machine.makeDirectory(path)
            }
        }
    }

    @Test(arguments: RecordLoss.allCases, Damage.allCases)
    func `what is in force is unknown once record and file are lost`(_ loss: RecordLoss, _ damage: Damage) throws {
        let machine = try recorded()
        try machine.force("60-b.json", 2)
        machine.apply()
        try loss.apply(to: machine)
        #expect(machine.load().knowledge.isDecisive)
        try damage.apply(to: machine)
        for set in [machine.load(), machine.apply().set, machine.load()] { #expect(!set.knowledge.isDecisive) }
        // Nothing is recorded that says that the rest was never in force.
        #expect(throws: OperationError.self) { try PolicyStore(root: machine.root).forget { _ in true } }
        try? machine.remove(Self.directory)
        try machine.makeDirectory(Self.directory)
        try machine.setMode("/etc/managed-defaults", 0o755)
        try machine.force("50-a.json", 3)
        #expect(machine.load().knowledge.isDecisive)
        if loss == .directory { try machine.remove("/var/lib/managed-defaults/policy.record") }
        #expect(machine.apply().isRecorded)
        #expect(try machine.level() == .integer(3))
    }
}
