import MDCare
import MDEngine
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPrograms

/// Whether schemas can be compiled here; without them nothing is tested.
private let hasSchemaCompiler = Root.system.mayExist("/usr/bin/glib-compile-schemas")

/// Policy becomes databases of dconf that fit the schemas of the machine.
@Suite(.enabled(if: hasSchemaCompiler, "glib-compile-schemas is not installed"))
struct GSettingsTests {
    private static let schemas = """
        <schemalist>
        <enum id='x.mode'><value nick='one' value='1'/><value nick='second' value='2'/></enum>
        <flags id='x.flags'><value nick='aa' value='1'/><value nick='bb' value='2'/></flags>
        <schema id='org.gnome.base'>
        <key name='size' type='i'><range min='1' max='9'/><default>3</default></key>
        <key name='ratio' type='d'><range min='0.5' max='2'/><default>1</default></key>
        </schema>
        <schema id='org.gnome.app' path='/org/gnome/app/' extends='org.gnome.base'>
        <key name='mode' enum='x.mode'><default>'one'</default><aliases><alias value='uno' target='one'/></aliases></key>
        <key name='flags' flags='x.flags'><default>['aa']</default></key>
        <key name='kind' type='s'><choices><choice value='big'/><choice value='small'/></choices><default>'big'</default></key>
        <key name='name' type='s'><default>''</default></key>
        <key name='on' type='b'><default>false</default></key>
        <key name='lines' type='as'><default>[]</default></key>
        <override name='size'>4</override>
        </schema>
        <schema id='net.other.tool' path='/net/other/'><key name='k' type='u'><default>1</default></key></schema>
        </schemalist>
        """

    let machine: TemporaryMachine

    init() throws {
        machine = try TemporaryMachine(.classroom)
        let folder = "usr/share/glib-2.0/schemas"
        try machine.write("\(folder)/a.gschema.xml", Self.schemas)
        try machine.write("\(folder)/10.gschema.override", "[org.gnome.app]\nname='vendor'\n")
        let result = try Subprocess.run(
            "/usr/bin/glib-compile-schemas", ["--strict", machine(folder)], timeoutMilliseconds: 20_000, limit: 1 << 16)
        try #require(result.status == 0)
    }

    private var programs: MachinePrograms { MachinePrograms(machine: PolicyMachine(root: machine.root).policy()) }

    /// Writes a policy file.
    private func policy(_ name: String, target: String = "", _ fields: String) throws {
        let target = target.isEmpty ? "" : "\"Target\": \(target), "
        try machine.policy("\(name).json", "{ \"Identifier\": \"p.\(name)\", \(target)\(fields) }")
    }

    private func forced(_ keys: String) -> String { "\"Forced\": { \"org.gnome.app\": { \(keys) } }" }

    /// The database of a user, or of everybody, as it would be written: values by path, and locks.
    private func database(_ name: String = "managed_defaults") throws -> (values: [String: String], locks: [String])? {
        let plan = programs.plan(for: programs.people)
        guard
            case .bytes(let bytes)? = plan.files.first(where: { $0.file.path == "/etc/dconf/db/\(name)" })?.file.content
        else { return nil }
        let table = try #require(GVDBFile(bytes)).root
        let values = table.names.map { ($0, table.value($0)?.text ?? "damaged") }
        return (
            Dictionary(uniqueKeysWithValues: values), (table.table(".locks")?.names ?? []).sorted()
        )
    }

    private var findings: [String] {
        programs.plan(for: programs.people).findings.map { "\($0.key?.string ?? "-"): \($0.message)" }
    }

    @Test func `what is forced is locked`() throws {
        try policy("10", forced(#""size": 7, "mode": "uno", "flags": ["bb", "aa"], "kind": "small", "lines": []"#))
        let database = try #require(try database())
        #expect(
            database.values == [
                "/org/gnome/app/size": "7", "/org/gnome/app/mode": "'one'", "/org/gnome/app/flags": "['bb', 'aa']",
                "/org/gnome/app/kind": "'small'", "/org/gnome/app/lines": "@as []",
            ])
        #expect(database.locks == database.values.keys.sorted())
        #expect(findings == [])
    }

    @Test func `what is recommended is not locked`() throws {
        try policy("10", #""Recommended": { "org.gnome.app": { "size": 7, "on": true } }, "# + forced(#""on": false"#))
        let database = try #require(try database())
        #expect(database.values == ["/org/gnome/app/size": "7", "/org/gnome/app/on": "false"])
        #expect(database.locks == ["/org/gnome/app/on"])
    }

    @Test func `what is absent or sealed is locked without a value`() throws {
        try policy("10", #""Absent": { "org.gnome.app": ["name"] }, "Sealed": ["net.other.tool"]"#)
        var database = try #require(try database())
        #expect(database.values == [:])
        #expect(database.locks == ["/net/other/k", "/org/gnome/app/name"])
        try policy("10", #""Sealed": ["org.gnome.app"], "# + forced(#""size": 2"#))
        database = try #require(try self.database())
        #expect(database.values == ["/org/gnome/app/size": "2"])
        #expect(
            database.locks
                == ["flags", "kind", "lines", "mode", "name", "on", "ratio", "size"].map { "/org/gnome/app/\($0)" })
    }

    @Test func `a waiver frees a key of a sealed domain for its user only`() throws {
        try policy(
            "10",
            """
            "Sealed": ["net.other.tool", "org.gnome.app"],
            "Waivers": [{ "Users": ["bob"], "Domain": "org.gnome.app", "Key": "name", "Reason": "r",
            "ApprovedBy": "a" }]
            """)
        let name = "/org/gnome/app/name"
        #expect(try database()?.locks.contains(name) == true)
        #expect(try database("managed_defaults_1001")?.locks.contains(name) == true)
        #expect(try database("managed_defaults_1002")?.locks.contains(name) == false)
        #expect(try database("managed_defaults_1002")?.locks.contains("/net/other/k") == true)
    }

    @Test func `what the program would drop is a finding and not locked`() throws {
        try policy(
            "10",
            """
            "Forced": { "org.gnome.app": { "size": 10, "mode": "three", "flags": ["cc"], "kind": 1, "ratio": 0.25,
            "none": 1, "on": "yes" }, "org.gnome.gone": { "k": 1 }, "org.gnome.base": { "size": 1 },
            "org.gnome.base:|org|x": { "size": 1 }, "org.gnome.app:|elsewhere|": { "size": 1 } },
            "SetOnce": { "org.gnome.app": { "name": "x" } }
            """)
        #expect(try database() == nil)
        #expect(
            Set(findings) == [
                "size: the value is greater than 9, the greatest that it may be",
                "mode: the value is not one of one, second", "flags: the value is not one of aa, bb",
                "kind: the value is an integer, and the key wants a string",
                "ratio: the value is less than 0.5, the least that it may be",
                "none: the schema org.gnome.app has no key none",
                "on: the value is a string, and the key wants a boolean",
                "k: no schema of the name org.gnome.gone is installed",
                "size: the schema org.gnome.base has no folder of its own; write org.gnome.base:|FOLDER|",
                "size: /org/x is no folder of dconf: |org|example| is one",
                "size: the keys of the schema org.gnome.app lie in /org/gnome/app/ and nowhere else",
                "name: GNOME and GTK programs (GSettings) has no values that are set once",
            ])
    }

    @Test func `a constraint that leaves one value forces it`() throws {
        try policy(
            "10",
            """
            "Constraints": { "org.gnome.app": { "size": { "Minimum": 5, "Maximum": 5 }, "kind": { "Pattern": "s.*" },
            "on": { "OneOf": [true] }, "mode": { "OneOf": ["one", "second"] }, "name": { "Pattern": "[a-z]" } } }
            """)
        let database = try #require(try database())
        #expect(
            database.values == [
                "/org/gnome/app/size": "5", "/org/gnome/app/kind": "'small'", "/org/gnome/app/on": "true",
            ])
        #expect(database.locks.count == 3)
        #expect(Set(findings.map { $0.prefix { $0 != ":" } }) == ["mode", "name"])
    }

    @Test func `a schema in a folder of its own`() throws {
        try policy("10", #""Forced": { "org.gnome.base:|org|x|profiles:|:1|": { "size": 1 } }"#)
        #expect(try database()?.values == ["/org/x/profiles:/:1/size": "1"])
    }

    @Test func `domains of installed schemas are taken whatever their name`() throws {
        try policy("10", #""Forced": { "net.other.tool": { "k": 5 }, "net.unknown": { "k": 5 } }"#)
        #expect(try database()?.values == ["/net/other/k": "uint32 5"])
        #expect(findings == [])
        #expect(!GSettings().takes("net.other.tool"))
        #expect(GSettings().takes("org.gnome.gone"))
    }

    @Test func `every user has a database and a profile once there is policy`() throws {
        #expect(programs.plan(for: programs.people).files.isEmpty)
        try machine.write("usr/share/dconf/profile/user", "user-db:user\nsystem-db:distro\n")
        try policy("10", target: #"{ "Users": ["alice"] }"#, forced(#""size": 7"#))
        let files = programs.plan(for: programs.people).files.map(\.file)
        #expect(
            files.map(\.path) == [
                "/etc/dconf/db/managed_defaults_1001", "/run/dconf/user/1001", "/etc/dconf/db/managed_defaults_1002",
                "/run/dconf/user/1002",
            ])
        let profile =
            "user-db:user\nsystem-db:managed_defaults_1001\nsystem-db:distro\nsystem-db:managed_defaults_1001\n"
        #expect(files[1].content == .bytes(Array(profile.utf8)))
        #expect(try database("managed_defaults_1002")?.values == [:])
        let texts = [files[0], files[2]].map { file -> String? in
            if case .bytes(let bytes) = file.content { GSettings.text(of: bytes) } else { nil }
        }
        #expect(texts == ["[org/gnome/app]\nsize=7  # locked\n", ""])
        #expect(GSettings.text(of: Array("[org/gnome/app]".utf8)) == nil)
    }

    @Test func `written and taken away without a trace`() throws {
        let theirs = "# Ours.\n  user-db:user\nsystem-db:site # site\n"
        try machine.write("etc/dconf/profile/user", theirs)
        try policy("10", forced(#""size": 7"#))
        let before = machine.all().filter { $0.hasPrefix("etc/dconf") || $0.hasPrefix("run") }
        let first = try programs.write()
        #expect(first.changes.count == 6)
        #expect(!first.isUnfinished)
        #expect(
            try machine.text("etc/dconf/profile/user")
                == "# Ours.\n  user-db:user\nsystem-db:managed_defaults\nsystem-db:site # site\nsystem-db:managed_defaults\n"
        )
        #expect(
            try machine.text("run/dconf/user/1001")
                == "# Ours.\n  user-db:user\nsystem-db:managed_defaults_1001\nsystem-db:site # site\n"
                + "system-db:managed_defaults_1001\n")
        #expect(try programs.write().changes.isEmpty)
        // A process that has mapped the old database sees from its first byte that it was replaced.
        try machine.makeDirectory("kept")
        try machine.root.link("/etc/dconf/db/managed_defaults", as: "/kept/old")
        let size = try machine.read("kept/old").count
        try policy("10", forced(#""size": 8"#))
        #expect(try programs.write().changes.count == 3)
        #expect(try machine.read("kept/old").prefix(8).allSatisfy { $0 == 0 })
        #expect(try machine.read("kept/old").count == size)
        try machine.remove("etc/managed-defaults/policies.d/10.json")
        try policy("20", #""Forced": { "org.example.App": { "k": 1 } }"#)
        #expect(try !programs.write().isUnfinished)
        #expect(try machine.text("etc/dconf/profile/user") == theirs)
        #expect(machine.all().filter { $0.hasPrefix("etc/dconf") || $0.hasPrefix("run") } == before)
    }

    @Test func `profiles of others keep their place`() {
        let ours = "system-db:managed_defaults"
        let cases: [([String], [String])] = [
            ([], ["user-db:user", ours]),
            (["# nothing"], ["# nothing", "user-db:user", ours]),
            (["user-db:user"], ["user-db:user", ours]),
            (["user-db:user", "system-db:a"], ["user-db:user", ours, "system-db:a", ours]),
            (["service-db:keyfile/user", "file-db:/x"], ["service-db:keyfile/user", ours, "file-db:/x", ours]),
            (["system-db:kiosk"], [ours, "system-db:kiosk", ours]),
            (["user-db:user", ours, "system-db:a", ours], ["user-db:user", ours, "system-db:a", ours]),
        ]
        for (theirs, expected) in cases { #expect(DconfProfile(theirs).lines(with: "managed_defaults") == expected) }
    }

    @Test func `damaged schemas are a finding`() throws {
        try machine.write("usr/local/share/glib-2.0/schemas/gschemas.compiled", "no schemas")
        try policy("10", forced(#""size": 7"#))
        #expect(findings == ["-: the file is no file of compiled schemas for this machine"])
        #expect(try database()?.values == ["/org/gnome/app/size": "7"])
    }

    @Test func `rivals are found`() throws {
        try machine.write("etc/dconf/profile/user", "user-db:user\nsystem-db:site\nsystem-db:broken\n")
        try machine.write(
            "etc/dconf/db/site", GVDBWriter.database(values: [:], locks: ["/org/gnome/app/size", "/org/gnome/app/on"]))
        try machine.write("etc/dconf/db/broken", "GVariant")
        try machine.write("etc/dconf/db/site.d/10", "", mode: 0o666)
        try machine.makeDirectory("etc/dconf/db/managed_defaults.d")
        try policy("10", #""Recommended": { "org.gnome.app": { "size": 7 } }, "# + forced(#""on": true"#))
        let rivals = try programs.preview().findings.filter { $0.kind == .rival }
        #expect(
            Set(rivals.map { "\($0.path ?? "") \($0.message)" }) == [
                "/etc/dconf/db/site the database locks /org/gnome/app/size, which policy only recommends",
                "/etc/dconf/db/broken the database is damaged, so programs ignore it without a word",
                "/etc/dconf/db/site.d/10 others than root can change it, and GNOME and GTK programs (GSettings) obey it",
                "/etc/dconf/db/managed_defaults.d dconf update makes a database of the folder, in the place of that of policy",
            ])
    }

    @Test func `what the bus answers is counted`() {
        let reply: (UInt8) -> [UInt8] = {
            [0x6c, $0, 1, 1, 4, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 1, 2, 3, 4, 5, 0, 0, 0, 9, 9, 9, 9]
        }
        let hello = Array("OK 1234\r\n".utf8)
        #expect(SystemBus.replies(in: []) == [])
        #expect(SystemBus.replies(in: hello) == [])
        #expect(SystemBus.replies(in: hello + reply(2) + reply(4)) == [true])
        #expect(SystemBus.replies(in: hello + reply(2) + reply(4) + reply(3)) == [true, false])
        #expect(SystemBus.replies(in: hello + reply(2) + reply(2).dropLast()) == [true])
        #expect(SystemBus.replies(in: Array("REJECTED EXTERNAL\r\n".utf8)) == nil)
    }
}
