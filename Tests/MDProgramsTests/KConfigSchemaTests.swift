import MDPlatform
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPrograms

/// What KDE's programs say of their keys, and what policy may not say then.
struct KConfigSchemaTests {
    private static let file = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- a > comment -->
        <kcfg xmlns="http://www.kde.org/standards/kcfg/1.0">
        <kcfgfile name="labrc"/>
        <group name="General">
          <entry name="Show" type="Bool"><default>true</default></entry>
          <entry name="Size" key="Icon Size" type="Int"><min>16</min><max>256</max></entry>
          <entry name="Count" type="UInt"><max code="true">limit()</max></entry>
          <entry name="Mode" type="Enum"><choices><choice name="List"/><choice name="Icons"/></choices></entry>
          <entry name="Names" type="StringList"/>
          <entry name="Title" type="String"/>
          <entry name="Ratio" type="Double"/>
          <entry name="Back" type="Color"/>
        </group>
        <group name="Open &amp; Shut"><entry name="a" key="Item_$(Number)" type="Int"/></group>
        </kcfg>
        """

    /// The clauses of the findings about one forced value, and whether it is written.
    private func clauses(
        _ key: Key, _ value: Value, _ content: String = file, domain: Key = "org.kde.labrc"
    ) throws -> (clause: String?, isWritten: Bool) {
        let machine = try TemporaryMachine(.none)
        try machine.write("usr/share/config.kcfg/lab.kcfg", content)
        let entry = ProgramEntry(
            domain: domain, key: key, level: .forced(value),
            origin: Origin(policy: "p", file: "/p.json", position: .start), digest: SHA256.hash([]))
        let rendering = KDE().prepared(for: machine.root).render(
            ProgramPolicy([entry]), for: .everybody, in: machine.root)
        let others = rendering.findings.map(\.message).filter { !$0.contains("with a language") }
        return (others.first, !rendering.files.isEmpty)
    }

    @Test(arguments: [
        (Key("General/Show"), Value.boolean(true)), ("General/Icon Size", .integer(16)), ("General/Count", .integer(9)),
        ("General/Mode", .string("Icons")), ("General/Mode", .integer(1)), ("General/Names", .array([])),
        ("General/Title", .string("")), ("General/Ratio", .integer(1)), ("General/Back", .string("255,0,0")),
        ("Open & Shut/Item_7", .integer(1)), ("Elsewhere/Any", .integer(1)), ("Top", .integer(1)),
    ])
    func `what fits is written`(_ key: Key, _ value: Value) throws {
        let found = try clauses(key, value)
        #expect(found.clause == nil && found.isWritten)
    }

    @Test(arguments: [
        (Key("General/Show"), Value.integer(1), "the key has a boolean, and this is of type integer"),
        ("General/Icon Size", .integer(8), "the value is less than 16, the least that it may be"),
        ("General/Icon Size", .integer(257), "the value is greater than 256, the greatest that it may be"),
        ("General/Icon Size", .string("big"), "the key has an integer, and this is of type string"),
        ("General/Count", .integer(-1), "the value is less than 0, the least that it may be"),
        ("General/Mode", .string("Tree"), "the value is not one of List, Icons"),
        ("General/Mode", .integer(2), "the value is not one of 0 to 1"),
        ("General/Names", .string("a"), "the key has an array, and this is of type string"),
        ("General/Title", .boolean(true), "the key has a string, and this is of type boolean"),
    ])
    func `what the program would not take is a finding`(_ key: Key, _ value: Value, _ clause: String) throws {
        let found = try clauses(key, value)
        #expect(found.clause == clause && !found.isWritten)
    }

    @Test func `an unknown key is a finding and written`() throws {
        let found = try clauses("General/Shwo", .boolean(true))
        #expect(
            found.clause
                == "no installed program describes a key Shwo in the group General of labrc; it is written all the same"
        )
        #expect(found.isWritten)
    }

    @Test(arguments: [0, 40, 200, 400, 700])
    func `a file that does not close says nothing`(_ length: Int) throws {
        let found = try clauses("General/Show", .integer(1), String(Self.file.prefix(length)))
        #expect(found.clause == nil && found.isWritten)
    }

    @Test func `a file without a name says nothing`() throws {
        let content = Self.file.replacing("<kcfgfile name=\"labrc\"/>", with: "<kcfgfile arg=\"true\"/>")
        #expect(try clauses("General/Show", .integer(1), content).clause == nil)
    }
}
