import MDPlatform
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPrograms

/// What an installed Firefox knows of its policies, read from its archive, and what policy becomes by it.
struct MozillaSchemaTests {
    private static let schema = """
        { "definitions": { "origin": { "type": "string" } },
          "properties": {
            "BlockAll": { "type": "boolean" },
            "Version": { "type": "string", "enum": ["one", "two"] },
            "Bar": { "anyOf": [{ "type": "boolean" }, { "type": "string", "enum": ["always"] }] },
            "Count": { "type": "number" },
            "Camera": { "type": "object", "properties": {
                "Front": { "type": "object", "properties": {
                    "Block": { "type": "array", "items": { "$ref": "#/definitions/origin" } },
                    "Off": { "type": "boolean" }, "Locked": { "type": "boolean" } } } } },
            "Extensions": { "type": "object", "properties": { "Locked": { "type": "array" } } },
            "Menu": { "type": "object", "properties": { "Title": { "type": "string" } }, "required": ["Title"] },
            "Preferences": { "type": "object", "patternProperties": { "^.*$": { "type": ["number", "boolean"] } } } } }
        """

    /// A zip file with entries that are stored as they are.
    private static func archive(
        _ entries: [(name: String, content: [UInt8])], method: UInt8 = 0, comment: String = ""
    ) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 0xff) } }
        var (bytes, list): ([UInt8], [UInt8]) = ([], [])
        for entry in entries {
            let sizes =
                number(entry.content.count, 4) + number(entry.content.count, 4) + number(entry.name.utf8.count, 2)
            let common: [UInt8] = [20, 0, 0, 0, method, 0, 0, 0, 0, 0, 0, 0, 0, 0] + sizes + [0, 0]
            list += [0x50, 0x4b, 1, 2, 20, 0] + common + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0] + number(bytes.count, 4)
            list += Array(entry.name.utf8)
            bytes += [0x50, 0x4b, 3, 4] + common + Array(entry.name.utf8) + entry.content
        }
        let count = number(entries.count, 2)
        let end = [0x50, 0x4b, 5, 6, 0, 0, 0, 0] + count + count + number(list.count, 4) + number(bytes.count, 4)
        return bytes + list + end + number(comment.utf8.count, 2) + Array(comment.utf8)
    }

    private func entry(_ name: String, of bytes: [UInt8]) -> [UInt8]? {
        StoredArchive(size: bytes.count) { offset, count in Array(bytes[offset..<min(offset + count, bytes.count)]) }
            .entry(name)
    }

    // MARK: The archive

    @Test func `an entry is found by its name, also before a comment`() {
        let entries = [("a", Array("one".utf8)), ("b/c", Array("two".utf8)), ("d", [])]
        for comment in ["", "PK and more"] {
            let bytes = Self.archive(entries, comment: comment)
            #expect(entry("b/c", of: bytes) == Array("two".utf8))
            #expect(entry("d", of: bytes) == [] && entry("c", of: bytes) == nil)
        }
    }

    @Test func `what is compressed, twice there or cut off is no entry`() {
        let entries = [("a", Array("one".utf8))]
        #expect(entry("a", of: Self.archive(entries, method: 8)) == nil)
        #expect(entry("a", of: Self.archive(entries + entries)) == nil)
        let bytes = Self.archive(entries)
        for count in 0..<bytes.count { #expect(entry("a", of: Array(bytes.prefix(count))) == nil) }
    }

    @Test func `any byte may be another one`() {
        let bytes = Self.archive([("a", Array("one".utf8)), ("b", Array("two".utf8))], comment: "x")
        for index in bytes.indices {
            for value in [0, 1, 0x50, 0x7f, 0xff] as [UInt8] {
                var damaged = bytes
                damaged[index] = value
                let found = entry("b", of: damaged)
                #expect(found == nil || found?.count ?? 0 <= bytes.count)
            }
        }
    }

    // MARK: What is judged

    private func verdict(_ key: String, _ value: Value) throws -> MozillaSchema.Verdict {
        let schema = try #require(MozillaSchema(Array(Self.schema.utf8)))
        return schema.verdict(on: value, at: key.split(separator: "/").map { Key(String($0)) })
    }

    @Test func `what the program takes is fitting`() throws {
        let values: [(String, Value)] = [
            ("BlockAll", .boolean(true)), ("BlockAll", .integer(1)), ("BlockAll", .string("true")),
            ("Version", .string("two")), ("Bar", .boolean(false)), ("Bar", .string("always")), ("Count", .real(1.5)),
            ("Camera/Front/Block", .array([.string("https://x.example")])), ("Preferences/a.b", .integer(1)),
            ("Menu", .dictionary(["Title": .string("t")])),
        ]
        for (key, value) in values { #expect(try verdict(key, value) == .fitting, "\(key)") }
    }

    @Test func `another type, another choice and an unknown name are said`() throws {
        #expect(try verdict("BlockAll", .string("yes")) == .wrong("BlockAll is boolean, and this is of type string"))
        #expect(try verdict("BlockAl", .boolean(true)) == .unknown("no policy BlockAl; is BlockAll meant?"))
        #expect(try verdict("Version", .string("three")) == .wrong("Version is one of one, two"))
        #expect(try verdict("Bar", .string("never")) == .wrong("Bar is one of always"))
        #expect(
            try verdict("Camera/Front/Of", .boolean(true)) == .unknown("no member Of in Camera.Front; is Off meant?"))
        let front: Value = .dictionary(["Front": .dictionary(["Of": .boolean(true)])])
        #expect(try verdict("Camera", front) == .unknown("no member Of in Camera.Front; is Off meant?"))
        #expect(try verdict("Menu", .dictionary([:])) == .wrong("Menu needs a member Title"))
        #expect(
            try verdict("Camera/Front/Block", .array([.integer(1)]))
                == .wrong("Camera.Front.Block is string, and this is of type integer"))
    }

    @Test func `a text that is no schema says nothing`() {
        for text in ["", "{}", "[]", "{\"properties\": {}}", "{\"properties\": 1}"] {
            #expect(MozillaSchema(Array(text.utf8)) == nil)
        }
    }

    // MARK: What is written

    /// What policy becomes on a machine, whose Firefox has the schema.
    private func render(
        _ entries: [(Key, ProgramEntry.Level)], isInstalled: Bool = true
    ) throws -> (policies: [Key: Value], findings: [String]) {
        let machine = try TemporaryMachine(.none)
        if isInstalled {
            let bytes = Self.archive([("modules/policies/policies-schema.json", Array(Self.schema.utf8))])
            try machine.write("usr/lib/firefox-esr/browser/omni.ja", bytes)
        }
        let policy = ProgramPolicy(
            entries.map { key, level in
                ProgramEntry(
                    domain: "org.mozilla.firefox", key: key, level: level,
                    origin: Origin(policy: "p", file: "/p.json", position: .start), digest: SHA256.hash([]))
            })
        let rendering = MozillaFamily.all[0].prepared(for: machine.root).render(
            policy, for: .everybody, in: machine.root)
        guard case .members(_, let policies)? = rendering.files.first?.content else { return ([:], []) }
        return (policies, rendering.findings.map { "\($0.key?.string ?? "") [\($0.kind.rawValue)]: \($0.message)" })
    }

    @Test func `Locked lies where the schema of the installed program has it`() throws {
        let front: Value = .dictionary(["Front": .dictionary(["Off": .boolean(true)])])
        let (policies, findings) = try render([
            ("Camera", .forced(front)), ("Extensions", .forced(.dictionary(["Locked": .array([])]))),
        ])
        #expect(findings.isEmpty)
        #expect(
            policies == [
                "Camera": .dictionary(["Front": .dictionary(["Off": .boolean(true), "Locked": .boolean(true)])]),
                "Extensions": .dictionary(["Locked": .array([])]),
            ])
        let recommended = try render([("Camera__Front__Off", .recommended(.boolean(true)))])
        #expect(recommended.findings.isEmpty)
        #expect(
            recommended.policies == [
                "Camera": .dictionary(["Front": .dictionary(["Off": .boolean(true), "Locked": .boolean(false)])])
            ])
    }

    @Test func `without an installed program permissions are locked all the same`() throws {
        let camera: Value = .dictionary(["BlockNewRequests": .boolean(true)])
        let policies = try render(
            [("Permissions__Camera", .forced(camera)), ("Permissions__Location", .recommended(camera))],
            isInstalled: false
        ).policies
        func expected(_ isLocked: Bool) -> Value {
            .dictionary(["BlockNewRequests": .boolean(true), "Locked": .boolean(isLocked)])
        }
        #expect(policies == ["Permissions": .dictionary(["Camera": expected(true), "Location": expected(false)])])
    }

    @Test func `a forced value that says of itself that users may change it is a finding`() throws {
        let open: Value = .dictionary(["Front": .dictionary(["Off": .boolean(true), "Locked": .boolean(false)])])
        let user: Value = .dictionary(["Value": .integer(1), "Status": .string("user")])
        #expect(
            try render([("Camera", .forced(open)), ("Preferences__a.b", .forced(user))], isInstalled: true).findings
                .filter { !$0.contains("does not take") } == [
                    "Camera [not supported]: Camera.Front says \"Locked\": false, so the user may change it although it is"
                        + " forced",
                    "Preferences__a.b [not supported]: a.b has \"Status\": \"user\", so the user may change it although it"
                        + " is forced",
                ])
    }

    @Test func `a part that is locked as a whole has no default`() throws {
        let (policies, findings) = try render(
            [("Homepage__URL", .forced(.string("u"))), ("Homepage__Additional", .recommended(.array([])))],
            isInstalled: false)
        #expect(
            policies["Homepage"]
                == .dictionary(["URL": .string("u"), "Additional": .array([]), "Locked": .boolean(true)]))
        #expect(
            findings == [
                "Homepage__Additional [not supported]: Homepage is locked as a whole, so the user cannot change this"
                    + " although it is recommended"
            ])
    }

    @Test func `a first state is said where it is forced, and is what a recommended entry wants`() throws {
        let (policies, findings) = try render(
            [
                ("DisplayMenuBar", .forced(.string("default-on"))),
                ("Homepage__StartPage", .forced(.string("homepage"))),
                ("HttpsOnlyMode", .forced(.string("force_enabled"))), ("SearchBar", .recommended(.string("separate"))),
            ], isInstalled: false)
        #expect(
            findings == [
                "DisplayMenuBar [first state only]: Firefox takes DisplayMenuBar as a first state only: the user may change"
                    + " it"
            ])
        #expect(policies["SearchBar"] == .string("separate"))
        #expect(
            policies["Homepage"]
                == .dictionary(["StartPage": .string("homepage-locked"), "Locked": .boolean(true)]))
    }

    @Test func `a name that the installed program lacks is not known`() throws {
        #expect(
            try render([("BlockAl", .forced(.boolean(true)))]).findings == [
                "BlockAl [not known]: Firefox has no policy BlockAl; is BlockAll meant?"
            ])
        #expect(try render([("BlockAl", .forced(.boolean(true)))], isInstalled: false).findings.isEmpty)
    }
}
