import Foundation
import Platform
import Policy
import PropertyList
import Testing

/// A file that breaks never takes its forced values away.
struct FailingClosedTests {
    /// Where the administrator's policy lies.
    static let directory = "/etc/managed-defaults/policies.d"

    /// A machine with one recorded policy that forces `Level` to 1.
    func recorded() throws -> TestMachine {
        let machine = try TestMachine()
        try machine.force("50-a.json", 1)
        let set = machine.load()
        #expect(set.files.map(\.isRecorded) == [true])
        #expect(set.problems == [])
        return machine
    }

    /// What may happen to a file that was good.
    enum Damage: CaseIterable {
        case empty, garbage, wrongType, othersCanWrite, directory, fifo, danglingLink, directoryIsUntrusted
        case directoryIsMissing, directoryIsAFile, parentIsUntrusted

        /// Does it.
        func apply(to machine: TestMachine) throws {
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
        // Twice: neither the first process that sees the damage nor what it records takes the copy away.
        for renewing in [false, true, true] {
            let set = machine.load(renewing: renewing)
            #expect(try machine.level(in: set) == .integer(1))
            #expect(set.files.map(\.source) == [.lastGood])
            #expect(set.files.first?.valid == false)
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

    /// What may keep a machine that has no record yet from reading its policy.
    enum Obstacle: CaseIterable {
        case directoryIsUntrusted, parentIsUntrusted, directoryLeadsToNothing, directoryIsAFile, parentLeadsToNothing

        /// Puts it in the way.
        func apply(to machine: TestMachine) throws {
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
    func `what nobody could read yet is recorded by no look as not in force`(_ obstacle: Obstacle) throws {
        let machine = try TestMachine()
        try machine.force("50-a.json", 1)
        try obstacle.apply(to: machine)
        for renewing in [false, true, true] {
            let set = machine.load(renewing: renewing)
            #expect(set.uncertainty != nil)
            #expect(set.problems.contains { $0.code == LintCode.untrusted.rawValue })
            #expect(set.problems.contains { $0.code == LintCode.notRecorded.rawValue } == renewing)
            #expect(!machine.names("/var/lib/managed-defaults").contains("policy.record"))
        }
        let applied = PolicyStore(root: machine.root, thorough: true).apply { _ in true }
        #expect(applied.generation == nil)
        #expect(applied.set.uncertainty != nil)
        guard obstacle == .directoryIsUntrusted || obstacle == .parentIsUntrusted else { return }
        try machine.setMode(FailingClosedTests.directory, 0o755)
        try machine.setMode("/etc/managed-defaults", 0o755)
        let set = machine.load()
        #expect(try machine.level(in: set) == .integer(1))
        #expect(set.uncertainty == nil && set.files.map(\.isRecorded) == [true])
    }

    @Test func `nobody says of copies that cannot be used that they stay`() throws {
        let machine = try TestMachine()
        for (name, value) in [("50-a.json", 1), ("60-b.json", 2)] { try machine.force(name, value) }
        machine.load()
        try machine.remove("/var/lib/managed-defaults/policy.record")
        try machine.setMode(Self.directory, 0o777)
        let copies = "/var/lib/managed-defaults/good/etc"
        var names = machine.names(copies)
        for sentence in [
            "the last good copies of its files stay in force",
            "those of its files that have a last good copy stay in force",
            "no good copy of any of its files is in force, and nobody knows what else is forced",
        ] {
            let problem = machine.load(renewing: false).problems.first { $0.code == LintCode.untrusted.rawValue }
            #expect(problem?.message.contains(sentence) == true, "\(problem?.message ?? "")")
            if let name = names.popLast() { try machine.write("\(copies)/\(name)", "{") }
        }
    }

    @Test func `forces nothing by a file that never was good, and says so`() throws {
        let machine = try TestMachine()
        try machine.write(Self.directory + "/50-a.json", "{")
        let set = machine.load()
        #expect(set.files.map(\.source) == [.none])
        #expect(try machine.level(in: set) == nil)
        #expect(set.diagnostics.map(\.code) == ["truncated", "not-in-force"])
    }

    @Test func `removes a file only where a complete listing lacks it`() throws {
        let machine = try recorded()
        try machine.remove(Self.directory + "/50-a.json")
        let reader = machine.load(renewing: false)
        #expect(reader.files.isEmpty)
        #expect(machine.names("/var/lib/managed-defaults/good/etc").count == 1)
        let writer = machine.load()
        #expect(writer.changes.map(\.note) == ["removed"])
        #expect(machine.names("/var/lib/managed-defaults/good/etc").isEmpty)
        try machine.remove(Self.directory)
        #expect(machine.load().files.isEmpty)
    }

    @Test func `does not use a good copy that is damaged`() throws {
        let machine = try recorded()
        let copies = "/var/lib/managed-defaults/good/etc"
        let name = try #require(machine.names(copies).first)
        try machine.write("\(copies)/\(name)", Array(try machine.read("\(copies)/\(name)").dropLast()) + [0x20])
        // A thorough look mends it while the file itself is good.
        let mended = machine.load(thorough: true)
        #expect(mended.files.first?.diagnostics.map(\.code) == ["damaged-copy"])
        #expect(machine.load(thorough: true).files.first?.diagnostics == [])
        let second = try #require(machine.names(copies).first)
        #expect(second != name)
        try machine.write("\(copies)/\(second)", "{}")
        try machine.write(Self.directory + "/50-a.json", "{")
        let set = machine.load()
        #expect(set.files.map(\.source) == [.none])
        #expect(set.files.first?.diagnostics.map(\.code) == ["truncated", "damaged-copy", "not-in-force"])
    }

    @Test func `does not use copies in a directory that others can write`() throws {
        let machine = try recorded()
        try machine.setMode("/var/lib/managed-defaults/good/etc", 0o777)
        try machine.write(Self.directory + "/50-a.json", "{")
        let set = machine.load(renewing: false)
        #expect(set.files.map(\.source) == [.none])
        #expect(set.problems.map(\.code) == ["damaged-copy"])
    }

    /// What may happen to the good copies as well.
    enum Loss: CaseIterable {
        case copyRemoved, copyDamaged, allRemoved, othersCanWrite

        /// Does it.
        func apply(to machine: TestMachine) throws {
            let copies = "/var/lib/managed-defaults/good/etc"
            let name = try #require(machine.names(copies).first)
            switch self {
            case .copyRemoved: try machine.remove("\(copies)/\(name)")
            case .copyDamaged: try machine.write("\(copies)/\(name)", "{}")
            case .allRemoved: try machine.remove("/var/lib/managed-defaults/good")
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
        for renewing in [false, true, true, false] {
            let set = machine.load(renewing: renewing)
            #expect(set.uncertainty != nil)
            #expect(set.changes == [])
            #expect(set.files.map(\.isLost) == [true])
        }
        try? machine.remove(Self.directory)
        try machine.makeDirectory(Self.directory)
        try machine.setMode("/etc/managed-defaults", 0o755)
        // The listing says now that the file was removed.
        let set = machine.load()
        #expect(set.uncertainty == nil)
        #expect(set.changes.map(\.note) == ["removed"])
    }

    @Test(arguments: Damage.allCases)
    func `takes what a generation kept where the copy is lost`(_ damage: Damage) throws {
        let machine = try recorded()
        let bytes = try machine.read(Self.directory + "/50-a.json")
        try machine.write("/var/lib/managed-defaults/generations/objects/\(SHA256.hash(bytes).hex)", bytes)
        try machine.remove("/var/lib/managed-defaults/good")
        try damage.apply(to: machine)
        for renewing in [false, true, true] {
            let set = machine.load(renewing: renewing)
            #expect(set.uncertainty == nil)
            #expect(try machine.level(in: set) == .integer(1))
            #expect(set.files.map(\.source) == [.lastGood])
        }
        if damage == .parentIsUntrusted { try machine.setMode("/etc/managed-defaults", 0o755) }
    }

    @Test func `does not know what an untrusted directory holds on a machine without a record`() throws {
        let machine = try recorded()
        try machine.remove("/var/lib/managed-defaults")
        try machine.setMode(Self.directory, 0o777)
        #expect(machine.load(renewing: false).uncertainty != nil)
        try machine.setMode(Self.directory, 0o755)
        #expect(machine.load(renewing: false).uncertainty == nil)
    }

    @Test func `survives a truncation at every byte`() throws {
        let machine = try TestMachine()
        let name = Self.directory + "/50-a.json"
        try machine.force("10-other.json", 7)
        try machine.force("50-a.json", 1, more: "\"Version\": 12, ")
        let whole = try machine.read(name)
        machine.load()
        for length in 0..<whole.count {
            try machine.write(name, Array(whole[..<length]))
            let set = machine.load(renewing: false)
            let isLoadable = PolicyFile.parse(bytes: Array(whole[..<length]), path: name).file != nil
            #expect(set.files.map(\.source) == [.current, isLoadable ? .current : .lastGood])
            #expect(try isLoadable || machine.level(in: set) == .integer(1))
        }
    }

    @Test func `survives a flip of every byte`() throws {
        let machine = try TestMachine()
        let name = Self.directory + "/50-a.json"
        try machine.force("50-a.json", 1)
        let whole = try machine.read(name)
        machine.load()
        for index in whole.indices {
            for mask: UInt8 in [0x01, 0x20, 0x80] {
                var bytes = whole
                bytes[index] ^= mask
                try machine.write(name, bytes)
                let set = machine.load(renewing: false)
                if set.files.map(\.source) == [.lastGood] {
                    #expect(try machine.level(in: set) == .integer(1))
                } else {
                    #expect(set.files.map(\.source) == [.current])
                    #expect(set.changes.map(\.note) == ["changed"])
                }
            }
        }
    }

    @Test func `survives any damage to the record`() throws {
        let machine = try recorded()
        let path = "/var/lib/managed-defaults/policy.record"
        let whole = try machine.read(path)
        for length in stride(from: 0, to: whole.count, by: 3) {
            for flips in [false, true] {
                var bytes = flips ? whole : Array(whole[..<length])
                if flips { bytes[length] ^= 0x04 }
                try machine.write(path, bytes)
                let set = machine.load(renewing: false)
                #expect(try machine.level(in: set) == .integer(1))
                #expect(set.problems.map(\.code) == ["damaged-table"])
            }
        }
        let set = machine.load()
        #expect(set.areChangesRecorded)
        #expect(try machine.read(path) == whole)
    }
}
