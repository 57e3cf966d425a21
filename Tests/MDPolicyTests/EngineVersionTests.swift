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

/// A machine whose policy was recorded by an engine of another version: what this engine cannot read is unknown for the
/// domains that it names, and never free.
struct EngineVersionTests {
    /// The domain of ``TemporaryMachine/force(_:_:more:place:)``.
    private static let known: Key = "org.example.App"

    /// A file of next year, which names three domains, two of them in fields that this engine does not know.
    private static let nextYear = """
        { "Identifier": "edu.example.next",
          "Forced": { "org.example.Browser": { "HomePage": "https://example.edu/" } },
          "Nearly": [ { "Of": "org.example.Mail", "Key": "Server" } ], "Often": { "NSGlobalDomain": true } }
        """

    /// Records files as another engine does: the copies, then the record.
    private func record(
        _ files: [(name: String, bytes: [UInt8])], on machine: TemporaryMachine, engine: String? = "0.2.0"
    ) throws {
        var record = PolicyRecord()
        record.engine = engine
        var copies: [Digest: [UInt8]] = [:]
        for (name, bytes) in files {
            copies[SHA256.hash(bytes)] = bytes
            record.files[.init(place: .etc, name: Key(name))] = .init(state: .current, digest: SHA256.hash(bytes))
        }
        try RecordedCopies(root: machine.root).store(copies)
        try machine.write(StorePath.record, record.encoded())
    }

    /// A machine with a file that every engine reads and one of next year, both recorded.
    private func recorded(engine: String? = "0.2.0") throws -> TemporaryMachine {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        let known = try machine.read("/etc/managed-defaults/policies.d/50-a.json")
        try machine.write("/etc/managed-defaults/policies.d/60-next.json", Self.nextYear)
        try record([("50-a.json", known), ("60-next.json", Array(Self.nextYear.utf8))], on: machine, engine: engine)
        return machine
    }

    /// Checks that what the file of next year names is unknown, and the rest is known.
    private func check(_ set: PolicySet, _ subject: Subject, version: String = "ManagedDefaults 0.2.0") {
        // Each name in a field that is not known may be that of a domain.
        let unknown = Set(set.knowledge.unknownDomains.keys)
        #expect(unknown.isSuperset(of: ["org.example.Browser", "org.example.Mail", "NSGlobalDomain"]))
        #expect(unknown.isDisjoint(with: [Self.known, "HomePage", "edu.example.next"]))
        #expect(!set.knowledge.isDecisive)
        let resultant = set.resolve(for: subject)
        #expect(resultant.forcedEntry(domain: Self.known, key: "Level")?.value == .integer(1))
        #expect(resultant.failure(in: [Self.known]) == nil)
        for key in ["HomePage", "Server", "anything"] {
            let entry = resultant.forcedEntry(domain: "org.example.Mail", key: Key(key))
            #expect(entry?.shortfall == .policy)
            #expect(entry?.value == nil)
        }
        let reason = resultant.failure(in: [Self.known, "NSGlobalDomain"]) ?? ""
        #expect(reason.contains("60-next.json needs \(version), which recorded it"))
        #expect(reason.contains("this is ManagedDefaults \(EngineVersion.current)"))
    }

    @Test func `what another engine recorded as good and this one cannot read is unknown where it names domains`()
        throws
    {
        let machine = try recorded()
        let subject = try machine.subject()
        check(machine.load(), subject)
        // So it is if only what was recorded is there, and after this engine has recorded policy itself.
        try machine.remove("/etc/managed-defaults/policies.d/60-next.json")
        check(machine.load(), subject)
        try machine.write("/etc/managed-defaults/policies.d/60-next.json", Self.nextYear)
        for _ in 0..<2 {
            let result = machine.apply()
            check(result.set, subject)
            #expect(result.isRecorded)
            #expect(CompiledTable(root: machine.root) == nil)
        }
        check(machine.load(), subject)
        let record = PolicyRecordInspection(root: machine.root).record
        #expect(record.engine == EngineVersion.current)
        #expect(Array(record.readers.values) == ["0.2.0"])
    }

    @Test func `a record from before versions were recorded says that much`() throws {
        let machine = try recorded(engine: nil)
        check(machine.load(), try machine.subject(), version: "an earlier ManagedDefaults")
    }

    @Test func `the finding about such a file is that a version is needed, and not a field that it has too much`()
        throws
    {
        let machine = try recorded()
        let file = try #require(machine.load().files.last)
        #expect(file.diagnostics.map(\.code) == [LintCode.notInForce.rawValue])
        #expect(file.diagnostics.first?.message.contains("needs ManagedDefaults 0.2.0") == true)
        // Another typo on top of it is one.
        try machine.write("/etc/managed-defaults/policies.d/60-next.json", "{")
        #expect(machine.load().files.last?.diagnostics.count == 2)
        check(machine.load(), try machine.subject())
    }

    @Test(arguments: ["# a format of next year", "{ \"Identifier\": \"a.b\", \"Nearly\": 7 }"])
    func `where the domains cannot be read either, all of them are unknown`(_ text: String) throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        let known = try machine.read("/etc/managed-defaults/policies.d/50-a.json")
        try machine.write("/etc/managed-defaults/policies.d/60-next.json", text)
        try record([("50-a.json", known), ("60-next.json", Array(text.utf8))], on: machine)
        let set = machine.load()
        #expect(set.knowledge.failure(in: [Self.known])?.contains("needs ManagedDefaults 0.2.0") == true)
        #expect(set.knowledge.unknownDomains.isEmpty)
        #expect(machine.apply().set.knowledge == set.knowledge)
    }

    @Test func `a file with another name than this engine knows counts as well`() throws {
        let machine = try TemporaryMachine()
        try machine.write("/etc/managed-defaults/policies.d/60-next.toml", "Forced = 1")
        try record([("60-next.toml", Array("Forced = 1".utf8))], on: machine)
        #expect(machine.load().knowledge.failure?.contains("60-next.toml needs ManagedDefaults 0.2.0") == true)
        #expect(machine.apply().set.knowledge.failure != nil)
        #expect(machine.load().knowledge.failure != nil, "apply keeps what it cannot judge")
    }

    @Test func `a profile names domains by its payloads`() throws {
        let profile = """
            <plist version="1.0"><dict><key>PayloadType</key><string>Configuration</string><key>PayloadContent</key>
            <array><dict><key>PayloadType</key><string>org.example.Browser.ByHost</string></dict>
            <dict><key>PayloadContent</key><dict><key>.GlobalPreferences</key><dict/></dict></dict></array></dict></plist>
            """
        let named = PolicyFile.namedDomains(bytes: Array(profile.utf8), path: "/a.mobileconfig")
        #expect(named?.isSuperset(of: ["org.example.Browser", "NSGlobalDomain"]) == true)
        #expect(PolicyFile.namedDomains(bytes: [0x30, 0x80], path: "/a.mobileconfig") == nil)
    }

    @Test func `an unknown field that is saved by hand over a good file leaves the recorded copy in force`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        machine.apply()
        try machine.force("50-a.json", 2, more: "\"Nearly\": true, ")
        for set in [machine.load(), machine.apply().set, machine.load()] {
            #expect(set.knowledge == .known)
            #expect(try machine.level(in: set) == .integer(1))
            #expect(set.files.map(\.source) == [.lastGood])
        }
    }

    @Test func `a file that nobody recorded is judged by each engine for itself`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        machine.apply()
        try machine.write("/etc/managed-defaults/policies.d/60-next.json", Self.nextYear)
        #expect(machine.load().knowledge == .known)
        #expect(machine.load().files.map(\.source) == [.current, .notRecorded])
    }

    @Test func `an older engine says what a newer record needs, and does not replace it`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1)
        machine.apply()
        var lines = ChecksummedLines(header: "managed-defaults policy record 7")
        lines.add("engine", "0.4.0", "0.3.0")
        lines.add("of", "next", "year")
        try machine.write(StorePath.record, lines.sealed)
        // What lies there and is good is enough.
        #expect(try machine.level() == .integer(1))
        #expect(machine.load().knowledge == .known)
        try machine.force("50-a.json", 2, more: "\"Nearly\": true, ")
        for set in [machine.load(), machine.apply().set, machine.load()] {
            let reason = set.knowledge.failure ?? ""
            #expect(reason.contains("was written by ManagedDefaults 0.4.0 and needs 0.3.0"))
            #expect(!reason.contains("damaged"))
        }
        try machine.force("50-a.json", 2)
        #expect(!machine.apply().isRecorded)
        #expect(try machine.read(StorePath.record) == lines.sealed)
    }
}
