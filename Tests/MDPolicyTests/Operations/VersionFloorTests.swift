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

/// Old files with good signatures, on a machine whose policy must be signed.
@Suite(
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ssh-keygen"), "ssh-keygen is not installed"))
struct VersionFloorTests {
    /// A machine, and the key of a signer that it trusts.
    private struct SignedMachine {
        let signer: SignatureTests.Signer
        let machine: TemporaryMachine

        /// Makes a machine, which asks for signatures unless told otherwise.
        init(isSigned: Bool = true) throws {
            (signer, machine) = (try SignatureTests.Signer(), try TemporaryMachine())
            if isSigned { try demandSignatures() }
        }

        func demandSignatures() throws { try machine.write(SignatureTests.trust, try signer.line("admin")) }

        /// Writes and signs a file whose level is ten times its version.
        func put(_ name: String, _ version: Int?, level: Int? = nil) throws {
            try machine.force(
                name, level ?? (version ?? 0) * 10, more: version.map { "\"Version\": \($0)," } ?? "")
            try signer.sign(machine.url("\(GenerationTests.directory)/\(name)").path)
        }

        /// Writes a file and records it; returns what is in force.
        @discardableResult
        func apply(_ version: Int?, as name: String = "50-a.json", level: Int? = nil) throws -> PolicySet {
            try put(name, version, level: level)
            return machine.apply().set
        }

        /// The recorded numbers.
        func floors() throws -> [Key: UInt64] {
            try PolicyRecord(decoding: machine.read(StorePath.record)).versions.numbers
        }
    }

    /// The finding about an old file.
    private func finding(_ set: PolicySet) -> Diagnostic? {
        set.diagnostics.first { $0.code == LintCode.oldVersion.rawValue }
    }

    @Test func `an old file that is signed does not come back, and everybody says why`() throws {
        let signed = try SignedMachine()
        #expect(finding(try signed.apply(5)) == nil)
        for (version, words, column) in [
            (4, "its Version 4 is lower than 5", 45), (-1, "its Version -1 is lower than 5", 45),
            (nil, "it has no Version, and the highest that was recorded of edu.example.a is 5", 17),
        ] as [(Int?, String, Int)] {
            for set in [try signed.apply(version), signed.machine.load()] {
                let found = try #require(finding(set))
                #expect(found.message.contains(words) && found.message.contains("policy rollback"), "\(found)")
                #expect(found.severity == .error && (found.position.line, found.position.column) == (1, column))
                #expect(set.files.map(\.source) == [.lastGood] && set.knowledge.isDecisive)
                #expect(try signed.machine.level(in: set) == .integer(50))
            }
            #expect(Lint.run(root: signed.machine.root).contains { $0.code == LintCode.oldVersion.rawValue })
        }
        for (version, level) in [(5, 50), (5, 51), (6, 60)] {
            #expect(finding(try signed.apply(version, level: level)) == nil)
            #expect(try signed.machine.level() == .integer(level))
        }
        // A file that is not in force raises nothing.
        try signed.machine.force("50-a.json", 90, more: "\"Version\": 9,")
        #expect(finding(signed.machine.apply().set) == nil)
        #expect(try signed.floors() == ["edu.example.a": 6])
    }

    @Test func `the number stays after removal, and under every name`() throws {
        let signed = try SignedMachine()
        try signed.apply(5)
        for suffix in ["", ".sig"] { try signed.machine.remove(SignatureTests.file + suffix) }
        signed.machine.apply()
        #expect(try signed.floors() == ["edu.example.a": 5])
        let set = try signed.apply(4, as: "60-a.json")
        #expect(finding(set) != nil && set.files.map(\.source) == [.notRecorded])
        #expect(try signed.machine.level() == nil)
        #expect(finding(try signed.apply(5, as: "60-a.json")) == nil)
        try signed.machine.remove("/etc/managed-defaults/policies.d")
        _ = try PolicyStore(root: signed.machine.root).forget { _ in true }
        #expect(try signed.floors() == ["edu.example.a": 5])
    }

    @Test func `without signers nothing is refused, and the numbers count from the day there are some`() throws {
        let signed = try SignedMachine(isSigned: false)
        for version in [5, 4] { #expect(finding(try signed.apply(version)) == nil) }
        #expect(try signed.machine.level() == .integer(40))
        #expect(try signed.floors() == ["edu.example.a": 5])
        try signed.demandSignatures()
        // What is in force is no step back.
        #expect(finding(signed.machine.apply().set) == nil)
        #expect(finding(try signed.apply(4, level: 41)) != nil)
        #expect(try signed.machine.level() == .integer(40))
    }

    @Test func `two files with one identifier stay as they were recorded`() throws {
        let signed = try SignedMachine()
        for version in [3, 5] { try signed.put("\(version)0-a.json", version) }
        for _ in 1...2 { #expect(signed.machine.apply().set.files.map(\.source) == [.current, .current]) }
        let set = try signed.apply(4, as: "30-a.json")
        #expect(set.files.map(\.source) == [.lastGood, .current])
        #expect(finding(set) != nil)
    }

    @Test func `a rollback goes back, for exactly what it installs`() throws {
        let signed = try SignedMachine()
        try signed.put("60-b.json", 5)
        try signed.apply(4)
        for suffix in ["", ".sig"] {
            try signed.machine.remove("\(GenerationTests.directory)/60-b.json\(suffix)")
        }
        try signed.apply(5)
        #expect(try signed.floors() == ["edu.example.a": 5, "edu.example.b": 5])
        // An old file that was refused lies in this generation.
        try signed.apply(3)
        try signed.apply(6)
        var notes: [String] = []
        func rollBack(to number: Int) throws -> RollbackResult {
            notes = []
            return try PolicyStore(root: signed.machine.root).rollBack(to: number, announce: { _ in true }) {
                notes += $0.map(\.note)
                return true
            }
        }
        #expect(try rollBack(to: 3).set.files.map(\.source) == [.lastGood])
        #expect(try signed.machine.level() == .integer(50))
        let sentence = "going back lowers the highest recorded Version of edu.example.a from"
        #expect(notes.contains("\(sentence) 6 to 5"), "\(notes)")
        try signed.apply(6)
        #expect(try rollBack(to: 2).set.files.map(\.source) == [.current])
        #expect(notes.contains("\(sentence) 6 to 5"), "\(notes)")
        try signed.machine.remove("\(GenerationTests.directory)/50-a.json.sig")
        #expect(try rollBack(to: 1).set.files.map(\.source) == [.current, .current])
        #expect(notes.contains("\(sentence) 5 to 4"), "\(notes)")
        #expect(!notes.contains { $0.contains("edu.example.b") })
        #expect(try signed.floors() == ["edu.example.a": 4, "edu.example.b": 5])
        let again = signed.machine.apply()
        #expect(again.changes == [] && finding(again.set) == nil)
        #expect(try signed.machine.level(in: again.set) == .integer(50))
        #expect(finding(try signed.apply(3)) != nil)
    }

    @Test func `a rollback that was killed leaves in force what was, and is done by the next one`() throws {
        let signed = try SignedMachine()
        try signed.apply(4)
        try signed.apply(5)
        #expect(finding(try signed.apply(4)) != nil)
        #expect(try signed.machine.level() == .integer(50))
        let done = try GenerationTests.rollBack(signed.machine, to: 1)
        #expect(done.set.files.map(\.source) == [.current])
        #expect(try signed.machine.level() == .integer(40))
        #expect(try signed.floors() == ["edu.example.a": 4])
    }

    @Test func `what an earlier engine recorded counts, and a lost record begins again`() throws {
        let signed = try SignedMachine()
        try signed.apply(5)
        var record = try PolicyRecord(decoding: signed.machine.read(StorePath.record))
        record.versions = VersionFloors()
        try signed.machine.write(StorePath.record, record.encoded())
        #expect(finding(try signed.apply(4)) != nil)
        #expect(try signed.floors() == ["edu.example.a": 5])
        try signed.machine.remove(StorePath.record)
        #expect(!signed.machine.load().knowledge.isDecisive)
        #expect(finding(signed.machine.apply().set) == nil)
        #expect(try signed.floors() == ["edu.example.a": 4])
    }
}

/// The bound of what is retained.
struct VersionFloorBoundTests {
    /// A file of a version.
    private func file(_ identifier: String, _ version: Integer?) -> PolicyFile {
        PolicyFile(identifier: identifier, version: version, path: "/\(identifier).json", digest: SHA256.hash([]))
    }

    @Test func `the numbers are bounded, and those of files in force stay`() {
        let many = (0..<VersionFloors.limit).map { file("m\(10_000 + $0)", Integer(1)) }
        var floors = VersionFloors().following(many)
        #expect(floors.numbers.count == VersionFloors.limit)
        let last = file("z", Integer(UInt64.max))
        floors = floors.following([last, file("none", nil), file("less", Integer(-7))])
        #expect(floors.numbers.count == VersionFloors.limit)
        #expect(floors.numbers["z"] == .max && floors.numbers["none"] == nil && floors.numbers["less"] == nil)
        #expect(floors.numbers["m10000"] == 1 && floors.numbers["m14095"] == nil)
        #expect(floors.objection(to: last) == nil)
        #expect(floors.objection(to: file("z", Integer(UInt64.max - 1))) != nil)
        #expect(VersionFloors().following(many + [last]).numbers.count == VersionFloors.limit + 1)
    }
}
