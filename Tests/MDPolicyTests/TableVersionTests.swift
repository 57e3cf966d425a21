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

/// Tables of engines of other versions: what they add is skipped, and what needs a newer reader is unknown, domain by
/// domain.
struct TableVersionTests {
    /// The folder of the tables that earlier engines wrote.
    private static let folder = ResolverGoldenTests.fixtures.appendingPathComponent("Tables")

    /// Opens a table as it lies in memory.
    private func open(_ bytes: [UInt8]) throws -> CompiledTable {
        try #require(try CompiledTable(checking: TablePages(bytes), root: nil))
    }

    /// Three users of a fixed machine at a fixed moment.
    private func subjects() throws -> [Subject] {
        let host = try #require(HostName("room1-pc03.lab.example"))
        let time = try #require(Timestamp(rfc3339: "2026-11-23T08:00:00Z"))
        let zones = ZoneDatabase(root: .system, localZone: "Europe/Zurich")
        let users: [(String, UInt32, [UInt32])] = [
            ("alice", 1001, [2001, 2003]), ("chen", 1004, [1100, 1102]), ("weber", 1001, [1101, 2000]),
        ]
        return users.map { name, uid, groups in
            Subject(
                userName: name, uid: uid, gid: groups[0], groups: groups, home: "/home/\(name)", host: host,
                tags: ["lab", "room1"], moment: Moment(time: time, zones: zones))
        }
    }

    @Test func `tables of earlier engines say what they said then`() throws {
        let manager = FileManager.default
        let numbers = try manager.contentsOfDirectory(atPath: Self.folder.path)
        var count = 0
        for number in numbers {
            let folder = Self.folder.appendingPathComponent(number)
            for name in try manager.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".table") {
                let table = try open(Array(try Data(contentsOf: folder.appendingPathComponent(name))))
                #expect(table.knowledge == .known)
                var text = ""
                for subject in try subjects() {
                    let whole = try table.resolve(for: subject)
                    text += "== \(subject.userName)\n\(whole.rendered)"
                    let domains = Set(whole.entries.map(\.domain))
                    let part = try table.resolve(for: subject, in: domains)
                    #expect(part.ofDomains == whole.only(domains).ofDomains)
                }
                let golden = folder.appendingPathComponent("\(name.dropLast(6)).txt")
                if ProcessInfo.processInfo.environment["WRITE_GOLDEN"] == "1" {
                    try text.write(to: golden, atomically: true, encoding: .utf8)
                }
                #expect(text == (try String(contentsOf: golden, encoding: .utf8)), "\(number)/\(name)")
                count += 1
            }
        }
        #expect(count >= 18)
    }

    /// Policy of two files with a domain of their own and one that both know.
    private func compiled() throws -> (bytes: [UInt8], subject: Subject) {
        let machine = try TemporaryMachine()
        try machine.force("10-a.json", 1)
        try machine.write(
            "/etc/managed-defaults/policies.d/20-b.json",
            """
            { "Identifier": "edu.example.b", "Forced": { "org.example.Mail": { "Server": "a" }, "org.example.App": { "B": 2 } },
              "Recommended": { "org.example.Mail": { "Port": 7 } }, "Metadata": { "org.example.Mail": { "Server": { "Title": "S" } } } }
            """)
        let bytes = CompiledTable.compile(
            machine.load(), host: "room1-pc03", tags: [], surroundings: [], sources: [])
        return (try #require(bytes), try machine.subject())
    }

    /// Adds sections to a table, as a newer engine does.
    private func adding(
        _ sections: [(number: UInt32, count: Int, content: [UInt8])], to table: [UInt8],
        leastReader: UInt32 = TableFormat.leastReader, damaging damaged: Range<Int>? = nil
    ) throws -> [UInt8] {
        let end = try table.withUnsafeBytes { try TableFormat.bodyEnd($0) }
        var body = Array(table[..<end])
        for offset in damaged ?? 0..<0 { body[offset] = 0xff }
        var list = TableWriter()
        for (number, count, content) in sections {
            list.word(number)
            list.fixedIndex(count)
            list.range(TableRange(offset: body.count, length: content.count))
            body += content
        }
        let entries = list.finish()
        var header = TableWriter()
        header.range(TableRange(offset: body.count, length: entries.count))
        body += entries
        let place = TableFormat.generationOffset + 8 + 12 * TableSection.broken.rawValue + 4
        body.replaceSubrange(place..<place + 8, with: header.finish())
        return TableFormat.sealed(body, leastReader: leastReader)
    }

    /// The content of ``LaterSection/needs`` with one domain.
    private func needs(_ domain: String, _ least: UInt32) -> [UInt8] {
        var writer = TableWriter()
        writer.text(domain)
        writer.word(least)
        writer.text("9.0")
        return writer.finish()
    }

    @Test func `a section that this engine does not know is skipped`() throws {
        let (bytes, subject) = try compiled()
        let table = try open(try adding([(4_000, 7, [1, 2, 3]), (UInt32.max, 0, [])], to: bytes))
        #expect(try table.resolve(for: subject).everything == open(bytes).resolve(for: subject).everything)
        #expect(table.knowledge == .known)
        #expect(table.isSound)
    }

    @Test func `a table for newer readers alone is not read`() throws {
        let (bytes, _) = try compiled()
        for least in [TableFormat.leastReader - 1, TableFormat.version + 1, .max] {
            #expect(throws: StoredFileError.self) { try open(try adding([], to: bytes, leastReader: least)) }
        }
        _ = try open(try adding([], to: bytes, leastReader: TableFormat.version))
    }

    @Test func `a domain that a newer reader is needed for is unknown, and no other`() throws {
        let (bytes, subject) = try compiled()
        let domain = try #require(try open(bytes).range(ofDomain: "org.example.Mail"))
        // Behind its name a group may have anything.
        let groups = domain.offset + 1 + "org.example.Mail".utf8.count..<domain.offset + domain.length
        let table = try open(
            try adding(
                [
                    (LaterSection.needs.rawValue, 1, needs("org.example.Mail", TableFormat.version + 1)),
                    (LaterSection.laterFiles.rawValue, 1, [1, 0, 0, 0, 0xff, 0, 0, 0]),
                ], to: bytes, damaging: groups.lowerBound..<groups.lowerBound + 4))
        #expect(Array(table.knowledge.unknownDomains.keys) == ["org.example.Mail"])
        #expect(!table.isSound)
        let part = try table.resolve(for: subject, in: ["org.example.Mail"])
        let entry = part.forcedEntry(domain: "org.example.Mail", key: "Server")
        #expect(entry?.shortfall == .policy)
        #expect(part.failure(in: ["org.example.Mail"])?.contains("needs ManagedDefaults 9.0") == true)
        // The other domain has an item of the file that is not understood, which is a mistake of the writer.
        #expect(throws: StoredFileError.self) { try table.resolve(for: subject, in: ["org.example.App"]) }
    }

    @Test func `what a domain needs is no matter to a reader that has it`() throws {
        let (bytes, subject) = try compiled()
        for least in [0, TableFormat.leastReader, TableFormat.version] {
            let table = try open(
                try adding([(LaterSection.needs.rawValue, 1, needs("org.example.Mail", least))], to: bytes))
            #expect(try table.resolve(for: subject).everything == open(bytes).resolve(for: subject).everything)
        }
        let table = try open(
            try adding(
                [(LaterSection.needs.rawValue, 1, needs("org.example.Mail", TableFormat.version + 1))], to: bytes))
        let whole = try table.resolve(for: subject)
        #expect(whole.forcedEntry(domain: "org.example.App", key: "Level")?.value == .integer(1))
        #expect(whole.forcedEntry(domain: "org.example.App", key: "B")?.value == .integer(2))
        #expect(whole.forcedEntry(domain: "org.example.Mail", key: "Any")?.shortfall == .policy)
        #expect(whole.recommended["org.example.Mail"] == nil)
        #expect(whole.failure(in: ["org.example.App"]) == nil)
    }

    @Test func `later sections that are damaged are found`() throws {
        let (bytes, _) = try compiled()
        let needs = LaterSection.needs.rawValue
        for content in [[], [0xff], [1, 65], needs.littleEndianBytes + [0]] {
            #expect(throws: StoredFileError.self) { try open(try adding([(needs, 1, content)], to: bytes)) }
        }
    }

    @Test func `a new engine writes its table over that of an older one, and keeps that of a newer one`() throws {
        let machine = try TemporaryMachine()
        try machine.force("10-a.json", 1)
        try CompiledTableTests().compile(machine)
        let path = String(StorePath.table)
        for (writer, isKept) in [(TableFormat.version - 1, false), (TableFormat.version + 1, true)] {
            let other = try adding(
                [(LaterSection.writer.rawValue, 1, writer.littleEndianBytes + [0])], to: machine.read(path))
            try machine.write(path, other)
            machine.apply()
            #expect((try machine.read(path) == other) == isKept)
            #expect(CompiledTable(root: machine.root) != nil)
        }
    }
}

extension UInt32 {
    /// Its four bytes, the lowest first.
    fileprivate var littleEndianBytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }
}
