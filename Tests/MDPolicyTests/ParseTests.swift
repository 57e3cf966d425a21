import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import Testing

/// Findings about one policy file, at their exact place.
struct ParseTests {
    /// Parses a marked JSON policy and compares all findings.
    func expect(
        _ marked: String, _ findings: [Finding], loads: Bool = false, location: SourceLocation = #_sourceLocation
    ) {
        Finding.expect(marked, findings, loads: loads, location: location)
    }

    @Test func `reports every mistake of a file at its place`() {
        expect(
            """
            {
              "Identifier": ❶"l\\u007fab",
              "Version": ❷"3",
              ❸"Enforce": true,
              "Forced": { ❹"a/b": { "K": ❺"${usr}" }, "org.x": ❻[1] },
              "OnOverride": ❼"allow"
            }
            """,
            [
                Finding(
                    "❶", .invalidIdentifier,
                    "the Identifier \"l\\u{7f}ab\" contains a control character"),
                Finding("❷", .wrongType, "Version must be an integer, not a string"),
                Finding("❸", .unknownField, "a policy file has no field \"Enforce\"; Enforced is probably meant"),
                Finding("❹", .invalidDomain, "the domain \"a/b\" in Forced contains '/'"),
                Finding(
                    "❺", .unknownVariable,
                    "there is no variable ${usr}; ${user} is probably meant; $${ stands for a literal ${"),
                Finding("❻", .wrongType, "Forced.org.x must be a dictionary of keys and values, not an array"),
                Finding("❼", .invalidValue, "OnOverride must be \"refuse\" or \"shadow\", not \"allow\""),
            ])
    }

    @Test func `refuses a key that stands twice, wherever it is`() {
        expect(
            """
            { "Identifier": "a.b",
              "Forced": { "org.x": { "K": { "a": 1, ❶"a": 2 } } },
              ❷"Identifier": "a.c" }
            """,
            [
                Finding("❶", .duplicateKey, "the key \"a\" already stands at 2:33"),
                Finding("❷", .duplicateKey, "the key \"Identifier\" already stands at 1:3"),
            ])
    }

    @Test func `refuses a key that is forced and absent`() {
        expect(
            """
            { "Identifier": "a.b",
              "Absent": { "org.x": ["K", "L", ❶"L"] },
              "Forced": { "org.x": { ❷"K": 1 } } }
            """,
            [
                Finding("❶", .duplicateKey, "the key \"L\" already stands at 2:30"),
                Finding(
                    "❷", .forcedAndAbsent,
                    "the key \"K\" is also in Absent, at 2:25; a file gives a key a value or none"),
            ])
    }

    @Test func `checks the clauses of a target`() {
        expect(
            """
            { "Identifier": "a.b", "Target": {
              "Users": ❶"alice", "Groups": [❷7, ❸""], "Hosts": [❹"room["], "Tags": ❺[],
              "Except": { ❻"Except": {}, ❼"User": [] } } }
            """,
            [
                Finding("❶", .wrongType, "Target.Users must be an array of strings, not a string"),
                Finding("❷", .wrongType, "an item of Target.Groups must be a string, not an integer"),
                Finding("❸", .invalidValue, "the name \"\" in Target.Groups is empty"),
                Finding(
                    "❹", .invalidPattern,
                    "the pattern \"room[\" in Target.Hosts has a '[' without its ']', a range that runs backwards, or"
                        + " more than 255 bytes"),
                Finding("❺", .emptyClause, "Target.Tags is empty, so it matches nobody", severity: .warning),
                Finding("❻", .unknownField, "Target.Except has no field \"Except\" of its own"),
                Finding(
                    "❼", .unknownField, "Target.Except has no field \"User\"; Users is probably meant"),
            ])
    }

    @Test func `takes the name of the file for an identifier that is missing`() {
        let text = "{ \"Version\": 1, \"Forced\": { \"org.x\": { \"K\": 1 } } }"
        for (path, name) in [("/etc/p/10-a.json", "10-a"), ("b.c", "b.c"), ("/x/.json", ".json")] {
            let result = PolicyFile.parse(bytes: Array(text.utf8), path: path, as: .json)
            #expect(result.diagnostics.isEmpty && result.file?.identifier == name)
            #expect(result.file?.entries.first?.origin.policy == name)
        }
        expect(
            "{ \"Version\": 1, ❶\"SetOnce\": {} }",
            [
                Finding(
                    "❶", .missingField,
                    "the field Identifier is missing; a file with SetOnce has one, because what was set once is remembered"
                        + " by it, and the name of a file may change")
            ])
        expect("❶{}", [Finding("❶", .missingField, "there is no field of a policy file here")])
    }

    @Test func `reads which findings are acknowledged, and why`() {
        let text = #"{ "Metadata": { "LintIgnore": { "never-wins": "meant" }, "org.x": { "K": { "Title": "t" } } } }"#
        let file = PolicyFile.parse(bytes: Array(text.utf8), path: "/a.json").file
        #expect(file?.acknowledged == [LintAcknowledgement(code: .neverWins, reason: "meant")])
        #expect(file?.metadata.count == 1)
        expect(
            #"{ "Metadata": { "LintIgnore": { ❶"never-win": "x", "expired": ❷" ", "empty": ❸1 } } }"#,
            [
                Finding(
                    "❶", .invalidValue, "there is no code \"never-win\" of a finding; never-wins is probably meant"),
                Finding(
                    "❷", .invalidValue, "Metadata.LintIgnore.expired is empty; it says why the finding is meant"),
                Finding("❸", .wrongType, "Metadata.LintIgnore.empty must be a string, not an integer"),
            ])
    }

    @Test(arguments: [
        ("{ \"Forced\": {} }", PolicyFileName.Kind.json), ("// c\n{}", .json), ("{ Forced = { }; }", .propertyList),
        ("<plist><dict><key>Forced</key><dict/></dict></plist>", .propertyList),
        ("<plist><dict><key>PayloadType</key><string>Configuration</string></dict></plist>", .profile),
        ("0\u{82}", .profile), ("", .propertyList),
    ])
    func `tells the format of a file by its content`(_ text: String, _ kind: PolicyFileName.Kind) {
        #expect(PolicyFile.kind(ofContent: Array(text.utf8)) == kind)
    }

    @Test(arguments: [
        (
            "<plist><dict><key>PayloadType</key><string>Configuration</string><key>PayloadContent</key><array/></dict></plist>",
            "p.plist:1:14: error: this is a profile and no policy file; the names of profiles end in .mobileconfig"
                + " [unknown-field]"
        ),
        (
            "<plist><dict><key>PayloadType</key><string>org.example.App</string><key>A</key><true/></dict></plist>",
            "p.plist:1:14: error: this is a payload of a profile and no policy file; mdefaults policy convert takes it"
                + " [unknown-field]"
        ),
        (
            "<plist><dict><key>mcx_application_data</key><dict/></dict></plist>",
            "p.plist:1:14: error: this is an export of MCX and no policy file; mdefaults policy convert takes it"
                + " [unknown-field]"
        ),
        (
            "\n<dict>\n<key>A</key><true/>\n</dict>",
            "p.plist:1:1: error: this is XML without the <plist> that a property list begins with; where it is a fragment"
                + " of a profile or of a domain, mdefaults policy convert takes it [syntax]"
        ),
        (
            "<plist><dict/></plist>",
            "p.plist:1:8: error: there is no field of a policy file here [missing-field]"
        ),
    ]) func `says what a file is that is no policy file`(_ text: String, _ expected: String) {
        let read = PolicyFile.parse(bytes: Array(text.utf8), path: "p.plist")
        #expect(read.file == nil)
        #expect(read.diagnostics.map(\.description) == [expected])
    }

    @Test func `says who takes the content of a domain`() {
        let text = "<plist><dict><key>Wrap</key><true/></dict></plist>"
        let read = PolicyFile.parse(bytes: Array(text.utf8), path: "p.plist")
        #expect(
            read.diagnostics.map(\.description).first
                == "p.plist:1:8: error: there is no field of a policy file here;"
                + " where this is the content of one domain, mdefaults policy convert takes it [missing-field]")
    }

    @Test func `warns of a variable in a key and keeps the key as it stands`() {
        expect(
            "{ \"Identifier\": \"a.b\", \"Forced\": { \"org.x\": { ❶\"K ${user}\": 1 } } }",
            [
                Finding(
                    "❶", .unknownVariable, "variables are not expanded in keys; the key is \"K ${user}\" as it stands",
                    severity: .warning)
            ], loads: true)
    }

    @Test(arguments: [
        ("", false), ("..", false), ("a..b", false), ("a\u{0}b", false), ("a\u{7f}", false),
        ("a\u{85}b", false), ("a\u{a0}b", true), ("a/b", false), ("a.b.c", true), ("-x", true),
        (".GlobalPreferences", false), ("Apple Global Domain", false), ("-g", false), ("-globalDomain", false),
        ("nsglobalDOMAIN", false), ("NSGlobalDomain2", true), ("NSGlobalDomain", true), ("org.x", true), ("ä.ö", true),
        (String(repeating: "a", count: 217), false),
    ])
    func `checks the names of domains`(_ name: String, _ isGood: Bool) {
        var writer = JSONWriter()
        writer.string(name)
        let text = "{ \"Identifier\": \"a.b\", \"Forced\": { \(writer.text): { \"K\": 1 } } }"
        let result = PolicyFile.parse(bytes: Array(text.utf8), path: "/p.json")
        #expect((result.file != nil) == isGood)
        #expect(result.diagnostics.map(\.code) == (isGood ? [] : ["invalid-domain"]))
    }

    @Test(arguments: [
        ("a.b", true), ("edu.example.lab-2", true), ("a", true), ("a..b", true), ("a b.ö/c", true), ("", false),
        (String(repeating: "a", count: 256), false), ("a\u{85}b", false),
    ])
    func `checks the form of identifiers`(_ identifier: String, _ isGood: Bool) {
        let text = "{ \"Identifier\": \"\(identifier)\" }"
        let result = PolicyFile.parse(bytes: Array(text.utf8), path: "/p.json")
        #expect((result.file != nil) == isGood)
    }

    @Test func `bounds the findings of a file`() {
        let fields = (0..<5_000).map { "\"X\($0)\": 1" }.joined(separator: ", ")
        let result = PolicyFile.parse(bytes: Array("{ \(fields) }".utf8), path: "/p.json")
        #expect(result.diagnostics.count == 1_001)
        #expect(result.diagnostics.last?.message == "there are 5001 findings, and this list ends after 1000")
    }

    @Test(arguments: [
        ("a.json", "Identifier: org.example.a\nForced:\n  a.b: {c: 1}\n", true), ("a.json", "---\nForced: {}\n", true),
        ("a.json", "# comment\n\n\"Forced\":\n  a.b:\n", true), ("a.yaml", "%YAML 1.2\n---\nForced: {}\n", true),
        ("a.json", "{Identifier: 1}", false), ("a.plist", "Forced = {", false), ("a.json", "http://x", false),
    ]) func `YAML is called YAML`(_ name: String, _ text: String, _ isYAML: Bool) {
        let findings = PolicyFile.parse(bytes: Array(text.utf8), path: name).diagnostics
        #expect(findings.contains { $0.message.hasPrefix("this is YAML; ") } == isYAML, "\(findings)")
    }
}
