import Foundation
import MDPlatform
import MDPropertyList
import MDTestSupport
import MDTools
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// The compiled table answers what the sources answer, and never anything else.
struct CompiledTableTests {
    static let path = "/var/lib/managed-defaults/policy.table"
    static let directory = "/etc/managed-defaults/policies.d"

    /// Applies policy until the table is written, which happens once everything has been still for a moment.
    func compile(_ machine: TemporaryMachine) throws {
        let end = Date(timeIntervalSinceNow: 60)
        while CompiledTable(root: machine.root) == nil {
            machine.apply()
            try #require(Date() < end, "the table is not written")
        }
    }

    /// A machine with files of several kinds and its table.
    func compiled() throws -> TemporaryMachine {
        let machine = try TemporaryMachine()
        try machine.makeDirectory("/run/first")
        try machine.force("10-a.json", 1, more: "\"Version\": 3, \"Contact\": \"Room 12\", ")
        try machine.force("50-b.json", 2, more: "\"Target\": { \"Groups\": [\"chess\", \"nobody\"] }, ")
        try machine.force("60-c.json", 3, more: "\"Target\": { \"Hosts\": [\"room2-*\"] }, ")
        try machine.write("/etc/managed-defaults/tags", "lab\n")
        try compile(machine)
        return machine
    }

    @Test(arguments: ["alice", "bob"]) func `says what the sources say`(_ user: String) throws {
        let machine = try compiled()
        let table = try #require(CompiledTable(root: machine.root))
        for host in [nil, "room2-pc01"] {
            let subject = try machine.subject(user, host: host)
            let expected = machine.load().resolve(for: subject)
            #expect(try table.resolve(for: subject).everything == expected.everything)
            let part = try table.resolve(for: subject, in: ["org.example.App"], ownTags: true)
            #expect(part.ofDomains == expected.only(["org.example.App"]).ofDomains)
            let entry = try table.forcedEntry(domain: "org.example.App", key: "Level", for: subject)
            #expect(
                entry?.everything == expected.forcedEntry(domain: "org.example.App", key: "Level")?.everything)
            let own = try table.forcedEntry(domain: "org.example.App", key: "Level", for: subject, ownTags: true)
            #expect(own?.everything == entry?.everything)
            #expect(try table.forcedEntry(domain: "org.example.App", key: "Leve", for: subject) == nil)
        }
        #expect(table.host == Machine.hostName(root: machine.root))
        #expect(try table.tags() == ["lab"])
    }

    @Test(arguments: ["absent", "drop-ins", "enforced", "formats", "later-wins", "targets", "variables"])
    func `says what the sources of a fixture say`(_ name: String) throws {
        let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/\(name)/root")
        let machine = try TemporaryMachine(copying: fixture)
        machine.apply()
        let set = machine.load()
        guard set.files.allSatisfy({ $0.source == .current }) else { return }
        try compile(machine)
        let table = try #require(CompiledTable(root: machine.root))
        for account in AccountDatabase(root: machine.root).accounts {
            let subject = try machine.subject(account.name)
            #expect(try table.resolve(for: subject).everything == set.resolve(for: subject).everything)
        }
    }

    /// The changes to a machine with a compiled table.
    enum Change: CaseIterable {
        case newFile, changedFile, sameSize, removedFile, mode, mask, runFile, runDirectory, tags, hostName, group
        case record, directoryMode, tableMode, tableDirectoryMode, replacedByLink, parentReplaced, varMode

        /// Does it.
        func apply(to machine: TemporaryMachine) throws {
            let directory = CompiledTableTests.directory
            switch self {
            case .newFile: try machine.force("70-d.json", 9)
            case .changedFile: try machine.force("10-a.json", 12)
            case .sameSize: try machine.force("10-a.json", 7, more: "\"Version\": 3, \"Contact\": \"Room 12\", ")
            case .removedFile: try machine.remove(directory + "/50-b.json")
            case .mode: try machine.setMode(directory + "/10-a.json", 0o666)
            case .mask:
                try machine.makeDirectory("/run/managed-defaults/policies.d")
                try machine.link("/run/managed-defaults/policies.d/10-a.json", to: "/dev/null")
            case .runFile: try machine.force("00-e.json", 8, place: "run")
            case .runDirectory: try machine.makeDirectory("/run/managed-defaults/policies.d")
            case .tags: try machine.write("/etc/managed-defaults/tags", "hall\n")
            case .hostName: try machine.write("/etc/hostname", "room2-pc01\n")
            case .group: try machine.write("/etc/group", "students:x:2001:\nteachers:x:2002:\nchess:x:2004:alice\n")
            case .record: try machine.remove("/var/lib/managed-defaults/policy.record")
            case .directoryMode: try machine.setMode(directory, 0o777)
            case .tableMode: try machine.setMode(CompiledTableTests.path, 0o666)
            case .tableDirectoryMode: try machine.setMode("/var/lib/managed-defaults", 0o777)
            case .replacedByLink:
                try machine.write("/elsewhere.json", try machine.read(directory + "/10-a.json"))
                try machine.remove(directory + "/10-a.json")
                try machine.link(directory + "/10-a.json", to: "/elsewhere.json")
            case .parentReplaced:
                try FileManager.default.moveItem(at: machine.url("/etc"), to: machine.url("/etc2"))
                try machine.link("/etc", to: "etc2")
            case .varMode: try machine.setMode("/var", 0o777)
            }
        }
    }

    @Test(arguments: Change.allCases) func `is not used once anything differs`(_ change: Change) throws {
        let machine = try compiled()
        try change.apply(to: machine)
        #expect(CompiledTable(root: machine.root) == nil)
        if case .tableDirectoryMode = change { try machine.setMode("/var/lib/managed-defaults", 0o755) }
        if case .parentReplaced = change {
            try machine.remove("/etc")
            try FileManager.default.moveItem(at: machine.url("/etc2"), to: machine.url("/etc"))
        }
    }

    @Test func `stays where directories that are only passed through change`() throws {
        let machine = try compiled()
        for path in ["/run/other", "/etc/other", "/var/other"] { try machine.makeDirectory(path) }
        #expect(CompiledTable(root: machine.root) != nil)
    }

    @Test func `is not written by who may not record`() throws {
        let machine = try TemporaryMachine()
        try machine.force("10-a.json", 1)
        try compile(machine)
        try machine.remove(Self.path)
        #expect(machine.load().files.count == 1)
        #expect(!machine.names("/var/lib/managed-defaults").contains("policy.table"))
    }

    @Test func `says what the sources say while files are broken`() throws {
        let machine = try compiled()
        #expect(CompiledTable(root: machine.root)?.isSound == true)
        try machine.write(Self.directory + "/50-b.json", "{")
        try machine.write(Self.directory + "/70-new.json", "{")
        try compile(machine)
        let table = try #require(CompiledTable(root: machine.root))
        #expect(!table.isSound)
        for user in ["alice", "bob"] {
            let subject = try machine.subject(user)
            let expected = machine.load().resolve(for: subject)
            #expect(expected.everything.contains("last good") == (user == "alice"))
            #expect(try table.resolve(for: subject).everything == expected.everything)
        }
        try machine.force("50-b.json", 4)
        #expect(CompiledTable(root: machine.root) == nil)
        try machine.remove(Self.directory + "/70-new.json")
        try compile(machine)
        #expect(CompiledTable(root: machine.root)?.isSound == true)
    }

    @Test func `is not written while a file is not trusted`() throws {
        let machine = try compiled()
        try machine.setMode(Self.directory + "/10-a.json", 0o666)
        #expect(machine.apply().tableFailure != nil)
        #expect(CompiledTable(root: machine.root) == nil)
    }

    @Test func `is thrown away when it is cut anywhere`() throws {
        let machine = try compiled()
        let whole = try machine.read(Self.path)
        for length in stride(from: 0, to: whole.count, by: 7) {
            try machine.write(Self.path, Array(whole[..<length]))
            #expect(CompiledTable(root: machine.root) == nil)
        }
        try machine.write(Self.path, whole + [0])
        #expect(CompiledTable(root: machine.root) == nil)
        try machine.write(Self.path, whole)
        #expect(CompiledTable(root: machine.root) != nil)
    }

    @Test func `is thrown away when a byte of it differs`() throws {
        let machine = try compiled()
        let whole = try machine.read(Self.path)
        for index in whole.indices {
            for mask: UInt8 in [1 << UInt8(index % 8), 0xff] {
                var bytes = whole
                bytes[index] ^= mask
                #expect(throws: StoredFileError.self) { try TablePages(bytes).requireAll() }
            }
        }
        try machine.write(Self.path, whole.map { $0 ^ 0x20 })
        #expect(CompiledTable(root: machine.root) == nil)
        #expect(try machine.level() == .integer(2))
        try compile(machine)
        #expect(try machine.read(Self.path).count == whole.count)
    }

    /// A machine with many files of twenty keys, its table, and what its sources say.
    private func large() throws -> (machine: TemporaryMachine, files: Int) {
        let machine = try TemporaryMachine()
        let files = 60
        for file in 0..<files {
            let keys = (0..<20).map { "\"Key\($0)\": \"value \($0) of \(file)\"" }.joined(separator: ", ")
            try machine.write(
                Self.directory + "/\(100 + file).json",
                "{ \"Identifier\": \"edu.example.n\(file)\", \"Forced\": { \"org.example.a\(file)\": { \(keys) } } }")
        }
        try compile(machine)
        return (machine, files)
    }

    @Test func `gives no other answer when any block of a large table is damaged`() throws {
        let (machine, files) = try large()
        let whole = try machine.read(Self.path)
        let subject = try machine.subject()
        #expect(whole.count > 5 * TableFormat.blockSize)
        let expected = machine.load().resolve(for: subject).everything
        var refused = 0
        for index in stride(from: 11, to: whole.count, by: 1_021) {
            var bytes = whole
            bytes[index] ^= 0x10
            try machine.write(Self.path, bytes)
            #expect(!CompiledTable.isWhole(root: machine.root))
            guard let table = CompiledTable(root: machine.root) else { continue }
            // What a question does not read, damaged witnesses of files for example, does not change its answer.
            let resolved = (try? table.resolve(for: subject))?.everything ?? expected
            #expect(resolved == expected)
            for file in stride(from: 0, to: files, by: 7) {
                let domain = Key("org.example.a\(file)")
                do {
                    let entry = try table.forcedEntry(domain: domain, key: "Key7", for: subject)
                    #expect(entry?.value == .string("value 7 of \(file)"))
                    #expect(try table.forcedEntry(domain: domain, key: "Key77", for: subject) == nil)
                    let part = try table.resolve(for: subject, in: [domain], ownTags: true)
                    #expect(part.forced[domain]?.count == 20)
                } catch {
                    refused += 1
                }
            }
        }
        #expect(refused > 0)
        try compile(machine)
        #expect(try machine.read(Self.path).count == whole.count)
    }

    @Test func `gives no other answer when a table is cut or overwritten while it is open`() throws {
        let (machine, files) = try large()
        let whole = try machine.read(Self.path)
        let subject = try machine.subject()
        for damage in [Array(whole[..<20_000]), [UInt8](repeating: 0x55, count: whole.count), []] {
            try machine.write(Self.path, whole)
            let table = try #require(CompiledTable(root: machine.root))
            let file = try FileHandle(forWritingTo: machine.url(Self.path))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(damage))
            try file.close()
            var refused = 0
            for index in 0..<files {
                do {
                    let domain = Key("org.example.a\(index)")
                    let entry = try table.forcedEntry(domain: domain, key: "Key7", for: subject)
                    #expect(entry?.value == .string("value 7 of \(index)"))
                } catch {
                    refused += 1
                }
            }
            #expect(refused > 0)
        }
    }
}
