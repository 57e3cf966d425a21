import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPrograms

/// Programs' files are written, mended and taken away, and what others have in them stays.
struct ProgramWriterTests {
    let machine: TemporaryMachine
    let path = "/etc/prog/managed/zz.json"

    init() throws {
        machine = try TemporaryMachine(.none)
    }

    /// Writes files, and returns what was done.
    @discardableResult
    private func write(_ files: [ProgramFile], isDryRun: Bool = false) throws -> ProgramWriter.Outcome {
        var writer = try ProgramWriter(root: machine.root, isDryRun: isDryRun)
        return writer.write(files.map { ("prog", $0) })
    }

    private func file(_ text: String) -> ProgramFile {
        ProgramFile(path, .bytes(Array(text.utf8)), staging: "/etc/prog")
    }

    private func shared(_ members: [Key: Value]) -> ProgramFile {
        ProgramFile("/etc/one/policies.json", .members(path: ["policies"], members))
    }

    @Test func `a file comes and goes without a trace`() throws {
        try machine.makeDirectory("etc/prog")
        let first = try write([file("one")])
        #expect(first.changes.map(\.note) == ["written"])
        #expect(first.findings == [])
        #expect(try machine.text(path) == "one")
        #expect(machine.names("etc/prog/managed") == ["zz.json"])
        #expect(machine.names("etc/prog") == ["managed"])
        let second = try write([])
        #expect(second.changes.map(\.note) == ["removed with policy"])
        #expect(machine.names("etc/prog") == [])
    }

    @Test func `nothing is written where nothing changed`() throws {
        try write([file("one"), shared(["A": .boolean(true)])])
        let paths = [path, "/etc/one/policies.json", "/var/lib/managed-defaults/programs/written"]
        let before = try paths.map { try machine.root.status($0, followingLinks: false) }
        let again = try write([file("one"), shared(["A": .boolean(true)])])
        #expect(again.changes == [])
        #expect(try paths.map { try machine.root.status($0, followingLinks: false) } == before)
    }

    @Test func `a dry run writes nothing`() throws {
        let outcome = try write([file("one")], isDryRun: true)
        #expect(outcome.changes.map(\.path) == [path])
        #expect(machine.all() == [])
    }

    /// What somebody may do to a file that was written.
    enum Damage: CaseIterable {
        case edited, removed, linked, madeWritable, madeDirectory, emptied
    }

    @Test(arguments: Damage.allCases) func `drift is mended and said`(_ damage: Damage) throws {
        try write([file("one")])
        switch damage {
        case .edited: try machine.write(path, "two")
        case .removed: try machine.remove(path)
        case .linked:
            try machine.remove(path)
            try machine.write("home/evil", "one")
            try machine.link(path, to: "../../../home/evil")
        case .madeWritable: try machine.setMode(path, 0o666)
        case .madeDirectory:
            try machine.remove(path)
            try machine.makeDirectory(path)
        case .emptied: try machine.write(path, "")
        }
        let outcome = try write([file("one")])
        #expect(outcome.findings.contains { $0.kind == .drift && $0.path == path })
        #expect(outcome.changes.first?.note.hasPrefix("mended: ") == true)
        let status = try machine.root.status(path, followingLinks: false)
        #expect(status.kind == .regular && status.mode & 0o777 == 0o644)
        #expect(try machine.text(path) == "one")
        #expect(try write([file("one")]).findings == [])
    }

    @Test func `a change of policy is no drift`() throws {
        try write([file("one")])
        let outcome = try write([file("two")])
        #expect(outcome.findings == [])
        #expect(outcome.changes.map(\.note) == ["changed with policy"])
    }

    @Test func `a run that was killed after its record is no drift`() throws {
        try write([file("one")])
        let bytes = try machine.read(path)
        try write([file("two")])
        // The record says two, the file still has one.
        try machine.write(path, bytes)
        let outcome = try write([file("two")])
        #expect(outcome.findings == [])
        #expect(try machine.text(path) == "two")
    }

    @Test func `what others have in a shared file stays and comes back`() throws {
        let original = "{\"policies\": {\"Theirs\": 1, \"Both\": \"theirs\"}, \"more\": [1]}"
        try machine.write("etc/one/policies.json", original)
        try write([shared(["Both": .string("ours"), "Ours": .boolean(true)])])
        let members = try PlainJSON.object(machine.read("etc/one/policies.json"))
        let expected: [Key: Value] = [
            "more": .array([.integer(1)]),
            "policies": .dictionary(["Theirs": .integer(1), "Both": .string("ours"), "Ours": .boolean(true)]),
        ]
        #expect(members == expected)
        try write([])
        #expect(try machine.text("etc/one/policies.json") == original)
    }

    @Test func `what others write into a shared file later stays`() throws {
        try machine.write("etc/one/policies.json", "{\"policies\": {\"Both\": \"theirs\"}}")
        try write([shared(["Both": .string("ours"), "Ours": .boolean(true)])])
        try machine.write(
            "etc/one/policies.json",
            "{\"policies\": {\"Both\": \"free\", \"Ours\": false, \"New\": 1}}")
        let outcome = try write([shared(["Both": .string("ours"), "Ours": .boolean(true)])])
        #expect(outcome.findings.map(\.kind) == [.drift])
        let mended = try PlainJSON.object(machine.read("etc/one/policies.json"))
        let policies: [Key: Value] = ["Both": .string("ours"), "Ours": .boolean(true), "New": .integer(1)]
        #expect(mended == ["policies": .dictionary(policies)])
        try write([])
        let left = try PlainJSON.object(machine.read("etc/one/policies.json"))
        #expect(left == ["policies": .dictionary(["Both": .string("theirs"), "New": .integer(1)])])
    }

    @Test func `a shared file that does not parse is set aside`() throws {
        try machine.write("etc/one/policies.json", "{\"policies\": {\"A\": 1,")
        let outcome = try write([shared(["Ours": .boolean(true)])])
        #expect(outcome.findings.contains { $0.message.contains("set aside") })
        let aside = machine.names("var/lib/managed-defaults/programs").filter { $0.hasPrefix("aside-") }
        #expect(
            try aside.map { try machine.text("var/lib/managed-defaults/programs/\($0)") } == [
                "{\"policies\": {\"A\": 1,"
            ])
        let members = try PlainJSON.object(machine.read("etc/one/policies.json"))
        #expect(members == ["policies": .dictionary(["Ours": .boolean(true)])])
    }

    @Test func `lines of others stay in their order`() throws {
        try machine.write("etc/profile", "user-db:user\nsystem-db:site\n")
        let file = ProgramFile("/etc/profile", .lines(first: ["first"], last: ["last"]))
        try write([file])
        #expect(try machine.text("etc/profile") == "first\nuser-db:user\nsystem-db:site\nlast\n")
        try machine.write("etc/profile", "first\nuser-db:user\nsystem-db:other\n")
        try write([file])
        #expect(try machine.text("etc/profile") == "first\nuser-db:user\nsystem-db:other\nlast\n")
        try write([])
        #expect(try machine.text("etc/profile") == "user-db:user\nsystem-db:other\n")
    }

    @Test func `an unreadable record stops everything`() throws {
        try write([file("one")])
        try machine.write("var/lib/managed-defaults/programs/written", "damaged")
        #expect(throws: (any Error).self) { try ProgramWriter(root: machine.root) }
        #expect(try machine.text(path) == "one")
    }

    @Test func `a folder that others may write is refused`() throws {
        try machine.makeDirectory("etc/prog/managed")
        try machine.setMode("etc/prog/managed", 0o777)
        let outcome = try write([file("one")])
        #expect(outcome.findings.map(\.kind) == [.failed])
        #expect(outcome.changes == [])
    }

    @Test func `the record reads back as it was written`() throws {
        try write([file("one"), shared(["A": .string("é ü")])])
        let record = try WrittenFiles(root: machine.root)
        #expect(record.files.keys.sorted().map(\.string) == ["/etc/one/policies.json", path])
        #expect(record.folders.sorted().map(\.string) == ["/etc", "/etc/one", "/etc/prog", "/etc/prog/managed"])
    }
}
