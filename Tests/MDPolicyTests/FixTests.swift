import Foundation
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import MDTools
import Testing

/// What `policy lint --fix` changes, and what it leaves as it is.
struct FixTests {
    /// A file, what becomes of it, and the changes in words.
    struct Case: CustomTestStringConvertible {
        /// The file.
        let before: String
        /// The file afterwards.
        let after: String
        /// The changes.
        let words: [String]
        /// The path.
        var path = "/p.json"

        /// The name of the case.
        var testDescription: String { words.joined(separator: ", ") }

        /// Makes a case.
        init(_ before: String, _ after: String, _ words: [String], path: String = "/p.json") {
            (self.before, self.after, self.words, self.path) = (before, after, words, path)
        }
    }

    @Test(arguments: [
        Case(
            """
            { // Comments and layout stay.
              "Identifer":   "a.b",
              "Enforce": true, /* here too */
              "Target": { "User": ["alice"], "Except": { "Group": [] } },
              "Forced": { ".GlobalPreferences": { "K": "${USER}$${x}" } }, }
            """,
            """
            { // Comments and layout stay.
              "Identifier":   "a.b",
              "Enforced": true, /* here too */
              "Target": { "Users": ["alice"], "Except": { "Groups": [] } },
              "Forced": { "NSGlobalDomain": { "K": "${user}$${x}" } }, }
            """,
            [
                #"2:3 replaced "Identifer" by "Identifier" [unknown-field]"#,
                #"3:3 replaced "Enforce" by "Enforced" [unknown-field]"#,
                #"4:15 replaced "User" by "Users" [unknown-field]"#,
                #"4:46 replaced "Group" by "Groups" [unknown-field]"#,
                #"5:15 replaced ".GlobalPreferences" by "NSGlobalDomain" [invalid-domain]"#,
                #"5:44 replaced ${USER} by ${user} [unknown-variable]"#,
            ]),
        // A text that may be several names has no unique correction.
        Case(
            #"{ "Identifier": "a.b", "Target": { "Users": "alice;bob" } }"#,
            #"{ "Identifier": "a.b", "Target": { "Users": "alice;bob" } }"#, []),
        Case(
            #"{ "Identifier": "a.b", "Version": "3", "Enforced": "true", "Target": { "Users": "alice", "Hosts": "a" } }"#,
            #"{ "Identifier": "a.b", "Version": 3, "Enforced": true, "Target": { "Users": ["alice"], "Hosts": ["a"] } }"#,
            [
                "1:35 took the quotes off 3 [wrong-type]", "1:52 took the quotes off true [wrong-type]",
                #"1:81 made a list of "alice" [wrong-type]"#, #"1:99 made a list of "a" [wrong-type]"#,
            ]),
        Case(
            #"{ "Identifier": "a.b", "Enforced": "Yes", "Metadata": { "d": { "k": { "Sensitive": "no" } } }, "Constraints": { "d": { "i": { "Minimum": "5" }, "r": { "Maximum": "-0.5" } } }, "Absent": { "d": "x" }, "Sealed": "z" }"#,
            #"{ "Identifier": "a.b", "Enforced": true, "Metadata": { "d": { "k": { "Sensitive": false } } }, "Constraints": { "d": { "i": { "Minimum": 5 }, "r": { "Maximum": -0.5 } } }, "Absent": { "d": ["x"] }, "Sealed": ["z"] }"#,
            [
                #"1:36 replaced "Yes" by true [wrong-type]"#, #"1:84 replaced "no" by false [wrong-type]"#,
                "1:138 took the quotes off 5 [wrong-type]", "1:163 took the quotes off -0.5 [wrong-type]",
                #"1:194 made a list of "x" [wrong-type]"#, #"1:211 made a list of "z" [wrong-type]"#,
            ]),
        Case(
            #"{ "Identifier": "a.b", "OnOverride": "refsue", "Combine": { "d": { "k": "mrege", "l": "MAX" } }, "Target": { "Schedule": { "Days": ["Tues", "thurs", "WEDS"] } } }"#,
            #"{ "Identifier": "a.b", "OnOverride": "refuse", "Combine": { "d": { "k": "merge", "l": "max" } }, "Target": { "Schedule": { "Days": ["Tue", "Thu", "Wed"] } } }"#,
            [
                #"1:38 replaced "refsue" by "refuse" [invalid-value]"#,
                #"1:73 replaced "mrege" by "merge" [invalid-value]"#,
                #"1:87 replaced "MAX" by "max" [invalid-value]"#,
                #"1:133 replaced "Tues" by "Tue" [invalid-value]"#,
                #"1:141 replaced "thurs" by "Thu" [invalid-value]"#,
                #"1:150 replaced "WEDS" by "Wed" [invalid-value]"#,
            ]),
        // A finding without a unique correction stays.
        Case(
            #"{ "Identifier": "a.b", "Combine": { "d": { "k": "xor", "l": "nor", "m": "nand", "n": "mix" } }, "Target": { "Schedule": { "Days": ["Mon-Fri", "monday friday", "Sat/Sun", "Monat"] } } }"#,
            #"{ "Identifier": "a.b", "Combine": { "d": { "k": "xor", "l": "nor", "m": "nand", "n": "mix" } }, "Target": { "Schedule": { "Days": ["Mon-Fri", "monday friday", "Sat/Sun", "Monat"] } } }"#,
            []),
        Case(
            #"{ "Identifier": "a.b", "Enforced": "perhaps", "Constraints": { "d": { "i": { "Minimum": "5 " }, "r": { "Maximum": "1, 2" } } }, "Absent": { "d": "x,y" }, "Target": { "Users": "al,bo" } }"#,
            #"{ "Identifier": "a.b", "Enforced": "perhaps", "Constraints": { "d": { "i": { "Minimum": "5 " }, "r": { "Maximum": "1, 2" } } }, "Absent": { "d": "x,y" }, "Target": { "Users": "al,bo" } }"#,
            []),
        Case(
            #"{ "Identifier": "a.b", "OnOverride": "Refuse", "Combine": { "a.b": { "K": "Union" } }, "Calendars": { "c": [ { "Days": ["monday", "TUE"] }, { "Day": "Sunday" } ] } }"#,
            #"{ "Identifier": "a.b", "OnOverride": "refuse", "Combine": { "a.b": { "K": "union" } }, "Calendars": { "c": [ { "Days": ["Mon", "Tue"] }, { "Days": ["Sun"] } ] } }"#,
            [
                #"1:38 replaced "Refuse" by "refuse" [invalid-value]"#,
                #"1:75 replaced "Union" by "union" [invalid-value]"#,
                #"1:121 replaced "monday" by "Mon" [invalid-value]"#,
                #"1:131 replaced "TUE" by "Tue" [invalid-value]"#,
                #"1:143 replaced "Day" by "Days" [unknown-field]"#,
                #"1:148 made a list of "Sunday" [wrong-type]"#,
                #"1:149 replaced "Sunday" by "Sun" [invalid-value]"#,
            ]),
        Case(
            """
            { "Identifier": "a.b",
              "Forced": { "a.b": {
                "K": { "x": [1, "]"] },  // the first
                "L": 1,
                "K": { "x": [1, "]"] },
                "M": 2 } },
              "Absent": { "a.b": ["A", "B", "A"], "a.c": ["A", "A", "B"] },
              "Sealed": ["c.d", "c.d"],
              "Version": 1,
              "Version": 1
            }
            """,
            """
            { "Identifier": "a.b",
              "Forced": { "a.b": {
                "K": { "x": [1, "]"] },  // the first
                "L": 1,
                "M": 2 } },
              "Absent": { "a.b": ["A", "B"], "a.c": ["A", "B"] },
              "Sealed": ["c.d"],
              "Version": 1
            }
            """,
            [
                #"5:5 removed the second "K" [duplicate-key]"#, #"7:33 removed the second "A" [duplicate-key]"#,
                #"7:52 removed the second "A" [duplicate-key]"#, #"8:21 removed the second "c.d" [duplicate-key]"#,
                #"10:3 removed the second "Version" [duplicate-key]"#,
            ]),
        Case(
            "{ \"Identifier\": \"a.b\" }\n\u{0}\u{0}\u{0}", "{ \"Identifier\": \"a.b\" }\n",
            ["2:1 removed 3 NUL bytes from the end [trailing-content]"]),
        Case(
            "\u{feff}{ \"Identifier\": \"a.b\", \"Versio\": 1 }\r\n",
            "\u{feff}{ \"Identifier\": \"a.b\", \"Version\": 1 }\r\n",
            [#"1:24 replaced "Versio" by "Version" [unknown-field]"#]),
        Case(
            "<plist><dict>\n<key>Identifer</key><string>a.b</string>\n<!-- x --><key>OnOverride</key><string>Shadow</string></dict></plist>",
            "<plist><dict>\n<key>Identifier</key><string>a.b</string>\n<!-- x --><key>OnOverride</key><string>shadow</string></dict></plist>",
            [
                #"2:1 replaced "Identifer" by "Identifier" [unknown-field]"#,
                #"3:32 replaced "Shadow" by "shadow" [invalid-value]"#,
            ], path: "/p.plist"),
        Case(
            "{ Identifer = \"a.b\"; OnOverride = Shadow; Forcd = {}; }",
            "{ Identifier = \"a.b\"; OnOverride = shadow; Forced = {}; }",
            [
                #"1:3 replaced "Identifer" by "Identifier" [unknown-field]"#,
                #"1:35 replaced "Shadow" by "shadow" [invalid-value]"#,
                #"1:43 replaced "Forcd" by "Forced" [unknown-field]"#,
            ], path: "/p.plist"),
    ])
    func `mends what has one answer`(_ example: Case) {
        let (bytes, fixes) = PolicyFile.fixed(Array(example.before.utf8), path: example.path)
        #expect(String(decoding: bytes, as: UTF8.self) == example.after)
        #expect(fixes.map { "\($0.position) \($0.words) [\($0.code.rawValue)]" } == example.words)
        // A corrected file has no further fixes.
        #expect(PolicyFile.fixed(bytes, path: example.path).fixes == [])
    }

    @Test(arguments: [
        // The right name exists already, several names are as near, or none is.
        (#"{ "Identifier": "a.b", "Enforce": true, "Enforced": true }"#, "/p.json"),
        (#"{ "Identifier": "a.b", "Banana": true }"#, "/p.json"),
        // The values differ, or one is a number and one a truth value.
        (#"{ "Identifier": "a.b", "Version": 1, "Version": 2 }"#, "/p.json"),
        (#"{ "Identifier": "a.b", "Forced": { "a.b": { "K": 1, "K": true } } }"#, "/p.json"),
        (#"{ "Identifier": "a.b", "Version": "03" }"#, "/p.json"),
        (#"{ "Identifier": "a.b", "Enforced": "ja" }"#, "/p.json"),
        (#"{ "Identifier": "a.b", "Forced": { "a.b": { "K": "${shell}" } } }"#, "/p.json"),
        (#"{ "Identifier": "a.b", "Enfo\u0072ce": true }"#, "/p.json"),
        // Files that do not parse, valid files, and findings that are not corrected.
        ("{", "/p.json"), ("", "/p.json"), ("\u{0}", "/p.json"), ("[]", "/p.json"),
        (#"{ "Identifier": "a.b" }"#, "/p.json"), (#"{ "Identifer": "a.b" }"#, "/p.txt"),
        ("<plist><dict><key>Enforce</key><true/></dict></plist>", "/p.mobileconfig"),
        ("<plist><dict><key>Version</key><string>3</string></dict></plist>", "/p.plist"),
    ])
    func `leaves all else as it is`(_ text: String, _ path: String) {
        let (bytes, fixes) = PolicyFile.fixed(Array(text.utf8), path: path)
        #expect(bytes == Array(text.utf8))
        #expect(fixes == [])
    }

    @Test func `finds the files to mend, links and other files aside`() throws {
        let machine = try TemporaryMachine()
        let broken = "{ \"Identifer\": \"a.b\" }"
        try machine.write("/etc/managed-defaults/policies.d/1.json", broken)
        try machine.write("/etc/managed-defaults/policies.d/2.json", "{ \"Identifier\": \"a.c\" }")
        try machine.write("/etc/managed-defaults/policies.d/3.json~", broken)
        try machine.link("/etc/managed-defaults/policies.d/4.json", to: "1.json")
        try machine.write("/run/managed-defaults/policies.d/5.json", broken)
        let folder = machine.directory.path
        #expect(
            Lint.fixes(root: machine.root).map(\.path) == [
                "/etc/managed-defaults/policies.d/1.json", "/run/managed-defaults/policies.d/5.json",
            ])
        let named = Lint.fixes(files: [folder + "/etc", folder + "/run/managed-defaults/policies.d/5.json"])
        #expect(
            named.map(\.shownPath) == [
                folder + "/run/managed-defaults/policies.d/5.json", folder + "/etc/managed-defaults/policies.d/1.json",
            ])
        #expect(String(decoding: named.first?.bytes ?? [], as: UTF8.self) == "{ \"Identifier\": \"a.b\" }")
    }
}
