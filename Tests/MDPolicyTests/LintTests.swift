import Foundation
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import Testing

/// Findings about several policy files together, and about their surroundings.
struct LintTests {
    /// Writes marked files beneath a root and compares the findings with some codes.
    func findings(_ files: [(name: String, text: String)], codes: Set<LintCode>) throws -> [String] {
        let machine = try TemporaryMachine()
        for file in files { try machine.write("/etc/managed-defaults/policies.d/\(file.name)", file.text) }
        let prefix = machine.directory.path + "/etc/managed-defaults/policies.d/"
        let names = Set(codes.map(\.rawValue))
        return Lint.run(root: machine.root).filter { names.contains($0.code) }.map { finding in
            finding.description.replacingOccurrences(of: prefix, with: "")
                .replacingOccurrences(of: machine.directory.path + "/", with: "")
        }
    }

    /// The description of a finding at a mark.
    func expected(
        _ file: String, _ source: MarkedSource, _ mark: Character, _ severity: Severity, _ code: LintCode,
        _ message: String
    ) -> String {
        Diagnostic(
            file: file, position: source.places[mark] ?? .start, severity: severity, code: code, message: message
        ).description
    }

    @Test func `names both places of contradicting values`() throws {
        let first = MarkedSource(
            #"{ "Identifier": "a.one", "Target": { "Groups": ["students"] }, "Forced": { "org.x": { ❶"K": 1 } } }"#)
        let second = MarkedSource(
            #"{ "Identifier": "a.two", "Target": { "Users": ["alice"] }, "Forced": { "org.x": { ❶"K": 2 } } }"#)
        let found = try findings(
            [("1.json", first.text), ("2.json", second.text)], codes: [.conflictingValues, .neverWins])
        let place = try #require(first.places["❶"])
        let prefix = try #require(found.first).components(separatedBy: "this file (2) and ")
        #expect(prefix.first == "2.json:\(try #require(second.places["❶"])): warning: ")
        #expect(found.count == 1)
        #expect((found.first ?? "").contains("1.json:\(place) (1) force different values of \"K\" of org.x"))
        #expect((found.first ?? "").hasSuffix("where they do, 2.json wins [conflicting-values]"))
    }

    @Test func `says nothing of targets that nobody is in together`() throws {
        let found = try findings(
            [
                (
                    "1.json",
                    #"{ "Identifier": "a.one", "Target": { "Users": ["bob"] }, "Forced": { "x.y": { "K": 1 } } }"#
                ),
                (
                    "2.json",
                    #"{ "Identifier": "a.two", "Target": { "Users": ["alice"] }, "Forced": { "x.y": { "K": 2 } } }"#
                ),
                (
                    "3.json",
                    #"{ "Identifier": "a.three", "Target": { "Hosts": ["room1-*"] }, "Forced": { "x.y": { "L": 2 } } }"#
                ),
                (
                    "4.json",
                    #"{ "Identifier": "a.four", "Target": { "Except": { "Hosts": ["ROOM1-*"] } }, "Forced": { "x.y": { "L": 3 } } }"#
                ),
            ], codes: [.conflictingValues, .neverWins])
        #expect(found == [])
    }

    @Test func `finds entries that never win`() throws {
        let first = MarkedSource(#"{ "Identifier": "a.one", "Forced": { "org.x": { ❶"K": 1, "L": 1 } } }"#)
        let third = MarkedSource(#"{ "Identifier": "a.three", "Absent": { "org.x": [❶"L"] } }"#)
        let found = try findings(
            [
                ("1.json", first.text), ("2.json", #"{ "Identifier": "a.two", "Forced": { "org.x": { "K": 2 } } }"#),
                ("3.json", third.text),
                (
                    "0.json",
                    #"{ "Identifier": "a.zero", "Enforced": true, "Target": { "Users": ["bob"] }, "Forced": { "org.x": { "M": 2 } } }"#
                ),
            ], codes: [.neverWins])
        // The absent entry of the third file takes a value away on purpose.
        #expect(found.count == 1)
        let place = "1.json:\(try #require(first.places["❶"])): warning: "
        #expect(found.first?.hasPrefix("\(place)\"K\" of org.x (1) never wins: 2.json") == true)
    }

    @Test func `says nothing of layers that are meant`() throws {
        func policy(_ name: String, _ rest: String) -> String { "{ \"Identifier\": \"a.\(name)\", \(rest) }" }
        let found = try findings(
            [
                ("1.json", policy("base", #""Forced": { "org.x": { "A": 1, "B": 1, "C": 1, "D": 1 } }"#)),
                // Narrower, equal, absent.
                ("2.json", policy("room", #""Target": { "Groups": ["students"] }, "Forced": { "org.x": { "A": 2 } }"#)),
                ("3.json", policy("same", #""Forced": { "org.x": { "B": 1 } }, "Absent": { "org.x": ["C"] }"#)),
                ("4.json", policy("exam", #""Enforced": true, "Forced": { "org.x": { "D": 4 } }"#)),
                ("5.json", policy("rec", #""Recommended": { "org.x": { "D": 5, "B": 1 } }"#)),
            ], codes: [.neverWins, .conflictingValues])
        #expect(found == [])
    }

    @Test func `keeps quiet about what a file acknowledges, and not about errors`() throws {
        let metadata = #""Metadata": { "LintIgnore": { "never-wins": "for later", "duplicate-identifier": "x" } }"#
        let losing = #"{ "Identifier": "a.one", "Forced": { "org.x": { "K": 1 } }, \#(metadata) }"#
        let winning = #"{ "Identifier": "a.two", "Forced": { "org.x": { "K": 2 } } }"#
        #expect(try findings([("1.json", losing), ("2.json", winning)], codes: [.neverWins]) == [])
        let twice = winning.replacingOccurrences(of: "a.two", with: "a.one")
        let errors = try findings([("0.json", twice), ("1.json", losing)], codes: [.duplicateIdentifier])
        #expect(errors.count == 1)
    }

    @Test func `refuses an identifier that two files have`() throws {
        let second = MarkedSource(#"{ "Identifier": ❶"a.one" }"#)
        let found = try findings(
            [("1.json", #"{ "Identifier": "a.one" }"#), ("2.json", second.text)], codes: [.duplicateIdentifier])
        #expect(found.count == 1)
        #expect((found.first ?? "").hasPrefix("2.json:1:17: error: the Identifier \"a.one\" is also that of"))
    }

    @Test func `finds names that nobody has`() throws {
        let source = MarkedSource(
            #"{ "Identifier": "a.one", "Target": { "Users": ["alice", ❶"mallory"], "Hosts": [❸"room2-*"], "Except": { "Groups": [❷"staff"] } } }"#
        )
        let found = try findings([("1.json", source.text)], codes: [.unknownUser, .unknownGroup, .noMatchingHost])
        #expect(
            found == [
                expected(
                    "1.json", source, "❶", .warning, .unknownUser,
                    "this machine has no user \"mallory\", so the name matches nobody"),
                expected(
                    "1.json", source, "❸", .warning, .noMatchingHost,
                    "no host pattern of this target matches room1-pc03.lab.example, so the file applies to nobody on this"
                        + " machine"),
                expected(
                    "1.json", source, "❷", .warning, .unknownGroup,
                    "this machine has no group \"staff\", so the name matches nobody"),
            ])
    }

    @Test func `says once that a file applies to nobody, and once that a name is unknown`() throws {
        let target = #""Target": { "Groups": ["pupils"], "Except": { "Groups": ["staff"] } }"#
        let found = try findings(
            ["one", "two"].map { ("\($0).json", #"{ "Identifier": "a.\#($0)", \#(target) }"#) },
            codes: [.unknownGroup, .matchesNobody])
        #expect(
            found.map { $0.split(separator: " ", maxSplits: 2).last.map(String.init) ?? "" } == [
                #"this machine has no group "pupils", so the file applies to nobody on it [matches-nobody]"#,
                #"this machine has no group "staff", so the name matches nobody [unknown-group]"#,
                #"this machine has no group "pupils", so the file applies to nobody on it [matches-nobody]"#,
            ])
    }

    @Test func `finds keys that differ by case or normalization`() throws {
        let source = MarkedSource(
            "{ \"Identifier\": \"a.one\", \"Forced\": { \"org.x\": { \"HomePage\": 1, ❶\"Homepage\": 1, \"caf\u{e9}\": 1,"
                + " ❷\"cafe\u{301}\": 1, \"\u{c9}tat\": 1, ❸\"E\u{301}tat\": 1, \"\u{d6}l\": 1, ❹\"\u{f6}l\": 1 },"
                + " \"ORG.x\": { ❺\"K\": 1 } } }")
        let found = try findings([("1.json", source.text)], codes: [.similarKeys])
        #expect(
            found.map { String($0.prefix { $0 != " " }) }
                == ["❶", "❷", "❸", "❹", "❺"].map { (mark: Character) in
                    "1.json:\(source.places[mark] ?? .start):"
                })
    }

    @Test func `finds names that are not read, unsafe modes and empty files`() throws {
        let machine = try TemporaryMachine()
        let directory = "/etc/managed-defaults/policies.d/"
        try machine.write(directory + "1.json~", "{}")
        try machine.write(directory + "2.json", "")
        try machine.write(directory + "3.json", "{ \"Identifier\": \"a.b\" }")
        try machine.setMode(directory + "3.json", 0o666)
        try machine.write(directory + "4.json", "{ \"Identifier\": \"a.c\" }")
        try machine.setMode(directory + "4.json", 0o664)
        let found = Lint.run(root: machine.root).map { "\(($0.file as NSString).lastPathComponent) \($0.code)" }
        #expect(
            found == [
                "1.json~ ignored-name", "2.json empty", "2.json not-in-force", "3.json not-in-force",
                "3.json untrusted",
                "4.json group-writable", "4.json no-entries",
            ])
    }

    @Test func `lints files by their paths, relative ones included`() throws {
        let machine = try TemporaryMachine()
        try machine.write("/one.json", "{ \"Identifier\": \"a.b\", \"Force\": {} }")
        try machine.write("/two.txt", "{ Identifier = \"a.c\"; }")
        let paths = ["/one.json", "/two.txt", "/missing.json"].map { machine.directory.path + $0 }
        let found = Lint.run(files: paths).map { "\(($0.file as NSString).lastPathComponent) \($0.code)" }
        #expect(
            found == [
                "missing.json unreadable", "one.json unknown-field", "two.txt no-entries",
            ])
        let relative = Lint.run(files: ["./no-such-file.json"])
        #expect(relative.map(\.message) == ["the file cannot be read: No such file or directory"])
    }

    @Test func `says everything once of a file that is named by several paths`() throws {
        let machine = try TemporaryMachine()
        let bad = "{ \"Identifier\": \"a.b\", \"Force\": {} }"
        try machine.write("/a/policies.d/one.json", bad)
        try machine.write("/a/policies.d/two.json", bad)
        try machine.write("/a/mixed/one.json", bad)
        try machine.write("/a/mixed/package.json", "{ \"name\": \"x\", \"version\": \"1.0.0\" }")
        try machine.link("/b", to: "a")
        /// The findings about some paths, without the folder of the machine.
        func found(_ paths: String...) -> [String] {
            let folder = machine.directory.path + "/"
            return Lint.run(files: paths.map { folder + $0 }).map {
                "\($0.file.replacingOccurrences(of: folder, with: "")) \($0.code)"
            }
        }
        let both = ["a/policies.d/one.json unknown-field", "a/policies.d/two.json unknown-field"]
        #expect(found("a/policies.d") == both)
        #expect(found("a/policies.d", "a/policies.d/one.json") == both)
        #expect(found("a/policies.d/one.json", "a/policies.d/") == both)
        #expect(found("a/policies.d", "b/policies.d", "b/policies.d/two.json", "a/./policies.d") == both)
        #expect(found("a/policies.d/one.json", "b//policies.d/one.json") == [both[0]])
        // A file that is named is meant to be policy.
        let mixed = ["a/mixed/one.json unknown-field", "a/mixed/package.json no-policy"]
        #expect(found("a/mixed", "a/mixed/one.json") == mixed)
        #expect(found("a/mixed", "a/mixed/package.json").count > mixed.count)
        #expect(found("a/mixed", "a") == found("a"))
    }

    @Test func `finds temporary policy that loses`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a.json", 1, more: "\"Enforced\": true, ")
        try machine.force("60-b.json", 2, place: "run")
        try machine.force("00-c.json", 3, more: "\"Target\": { \"Users\": [\"bob\"] },", place: "run")
        try machine.force("70-d.json", 4, more: "\"Enforced\": true, ", place: "run")
        let found = Lint.run(root: machine.root).filter { $0.code == LintCode.temporaryLoses.rawValue }
        #expect(found.map { ($0.file as NSString).lastPathComponent } == ["00-c.json", "60-b.json", "70-d.json"])
        #expect(found.allSatisfy { $0.message.hasSuffix("such as 00-…") })
    }

    @Test func `finds waivers that take a key out of temporary policy, but not out of their own exam`() throws {
        let machine = try TemporaryMachine()
        /// A waiver of a key, in a file.
        func waiver(_ name: String, _ more: String) -> String {
            """
            { "Identifier": "a.\(name)", \(more) "Waivers": [ { "Users": ["alice"], "Domain": "x.y", "Key": "K",
              "Until": "2099-01-01T00:00:00Z", "Reason": "x" } ] }
            """
        }
        let forced = #""Forced": { "x.y": { "K": 1 } }"#
        /// What makes a file one of an exam.
        func exam(_ set: String) -> String {
            #""Enforced": true, "Temporary": { "Kind": "exam", "Set": "\#(set)", "Until": "2099-01-01T00:00:00Z" },"#
        }
        let files = [
            ("run", "00-exam-math-10-x.json", "{ \(exam("math")) \(forced), \"Identifier\": \"a.math\" }"),
            ("run", "00-exam-math-00-aids.json", waiver("aids", exam("math"))),
            ("run", "00-exam-phys-00-aids.json", waiver("phys", exam("phys"))),
            ("run", "00-grant-1.json", waiver("grant", "\"Enforced\": true,")),
            ("run", "00-grant-2.json", waiver("weak", "")),
            (
                "run", "00-grant-3.json",
                waiver("bob", "\"Enforced\": true,").replacingOccurrences(of: "alice", with: "bob")
            ),
            ("etc", "10-aids.json", waiver("etc", "\"Enforced\": true,")),
        ]
        for (place, name, text) in files { try machine.write("/\(place)/managed-defaults/policies.d/\(name)", text) }
        let found = Lint.run(root: machine.root).filter { $0.code == LintCode.temporaryLifted.rawValue }
        let names = found.map { ($0.file as NSString).lastPathComponent }
        #expect(
            names == [
                "10-aids.json", "00-exam-phys-00-aids.json", "00-grant-1.json", "00-grant-3.json",
            ])
        let place = "run/managed-defaults/policies.d/00-exam-math-10-x.json:1:"
        #expect(
            found.allSatisfy {
                $0.message.hasPrefix("this waiver takes \"K\" of x.y out of ") && $0.message.contains(place)
            })
        // Users outside of the exam, and files that are over, give no finding.
        try machine.write(
            "/run/managed-defaults/policies.d/\(files[0].1)",
            "{ \(exam("math")) \"Identifier\": \"a.math\", \"Target\": { \"Users\": [\"bob\"] }, \(forced) }")
        let left = Lint.run(root: machine.root).filter { $0.code == LintCode.temporaryLifted.rawValue }
        #expect(left.map { ($0.file as NSString).lastPathComponent } == ["00-grant-3.json"])
    }

    @Test func `finds waivers that are for other machines`() throws {
        let ended = #""Until": "2099-01-01T00:00:00Z", "Reason": "x""#
        let source = MarkedSource(
            """
            { "Identifier": "a.b", "Forced": { "x.y": { "K": 1 } }, "Waivers": [
              { "Hosts": [❶"nonex*"], "Domain": "x.y", "Key": "K", \(ended) },
              { "Hosts": ["nonex*", "room1-*"], "Domain": "x.y", "Key": "K", \(ended) },
              { "Tags": [❷"none"], "Domain": "x.y", "Key": "K", \(ended) } ] }
            """)
        #expect(
            try findings([("1.json", source.text)], codes: [.noMatchingHost, .noMatchingTag]) == [
                expected(
                    "1.json", source, "❶", .warning, .noMatchingHost,
                    "no host pattern of this waiver matches room1-pc03.lab.example, so it is for nobody on this machine"
                ),
                expected(
                    "1.json", source, "❷", .warning, .noMatchingTag,
                    "this machine has no tag none in etc/managed-defaults/tags, so it is for nobody on this machine;"
                        + " printf '\\nnone\\n' >> etc/managed-defaults/tags gives it one"),
            ])
    }

    @Test func `finds what of policy not everybody can read`() throws {
        let machine = try TemporaryMachine()
        try machine.force("1.json", 1)
        try machine.force("2.json", 2, place: "run")
        /// The files that not everybody can read.
        func found() -> [String] {
            Lint.run(root: machine.root).filter { $0.code == LintCode.notReadable.rawValue }.map {
                String($0.file.dropFirst(machine.directory.path.count))
            }
        }
        #expect(found() == [])
        let (file, directory) = ("/etc/managed-defaults/policies.d/1.json", "/run/managed-defaults/policies.d")
        try machine.setMode(file, 0o600)
        try machine.setMode(directory, 0o711)
        #expect(found() == [file, directory])
        try machine.write("/etc/managed-defaults/tags", "lab")
        try machine.setMode("/etc/managed-defaults/tags", 0o640)
        #expect(found() == [file, "/etc/managed-defaults/tags", directory])
        // A link leads to what everybody can read, through a folder that not everybody gets through.
        let link = "/etc/managed-defaults/policies.d/3.json"
        try machine.write("/srv/closed/3.json", #"{ "Identifier": "a.three", "Forced": { "org.x": { "K": 3 } } }"#)
        try FileManager.default.createSymbolicLink(
            atPath: machine.directory.path + link, withDestinationPath: "/srv/closed/3.json")
        #expect(!found().contains(link))
        try machine.setMode("/srv/closed", 0o700)
        #expect(found().contains(link))
    }

    @Test func `says what a broken manifest is, and which names are not those of manifests`() throws {
        let machine = try TemporaryMachine()
        try machine.force("1.json", 1)
        let home = "/etc/managed-defaults/"
        let manifest = "<plist><dict><key>pfm_domain</key><string>org.x</string></dict></plist>"
        let names = ["a.plist": "nonsense", "b.txt": manifest, "c.json": "{}", ".d.plist": manifest]
        for (name, text) in names { try machine.write(home + "manifests.d/" + name, text) }
        for findings in [Lint.run(root: machine.root), Lint.run(files: [machine.directory.path + home])] {
            let found = findings.filter { $0.file.contains("manifests.d") }.map {
                "\(($0.file as NSString).lastPathComponent): \($0.message) [\($0.code)]"
            }
            #expect(
                found == [
                    ".d.plist: this file is not read: its name begins with a dot [ignored-name]",
                    "a.plist: the manifest cannot be read: a manifest is a property list in XML or binary, and this file"
                        + " is neither; values of its domain are not shown [manifest]",
                    "b.txt: this file is not read: its name does not end in .plist [ignored-name]",
                    "c.json: this file is not read: its name does not end in .plist [ignored-name]",
                ])
        }
    }

    @Test func `finds targets that nobody here is in`() throws {
        let targets = [
            ("1", #"{ "Tags": [❶"lab"] }"#, "no-matching-tag"), ("2", #"{ "Users": [❶"x", "y"] }"#, "matches-nobody"),
            ("3", #"{ "Groups": [❶"x"] }"#, "matches-nobody"),
            ("4", #"{ "Users": [❶"alice"], "Groups": ["teachers"] }"#, "matches-nobody"),
            ("5", #"{ "Users": ["alice", "bob"], "Groups": ["teachers"] }"#, nil),
            ("6", #"{ "Groups": ["students"], "Except": { "Groups": ["students", "chess"] } }"#, "matches-nobody"),
            ("7", #"{ "Users": [❶"alice"], "Except": { "Groups": ["chess"] } }"#, "matches-nobody"),
            ("8", #"{ "Users": ["bob"], "Except": { "Groups": ["chess"] } }"#, nil),
            ("9", #"{ "Hosts": [❶"room2-*"], "Users": ["x"] }"#, "no-matching-host"),
        ]
        let machine = try TemporaryMachine()
        try machine.write("/etc/managed-defaults/tags", "library\n")
        var expected: [String] = []
        for (name, target, code) in targets {
            let source = MarkedSource(#"{ "Identifier": "a.x\#(name)", "Target": \#(target) }"#)
            try machine.write("/etc/managed-defaults/policies.d/\(name).json", source.text)
            let place = source.places["❶"].map(\.description) ?? "1:25"
            if let code { expected.append("\(name).json:\(place) \(code)") }
        }
        let codes = ["no-matching-tag", "matches-nobody", "no-matching-host"]
        let found = Lint.run(root: machine.root).filter { codes.contains($0.code) }.map {
            "\(($0.file as NSString).lastPathComponent):\($0.position) \($0.code)"
        }
        #expect(found == expected)
    }

    @Test func `a waiver lifts what the last good copy of a broken file forces`() throws {
        let machine = try TemporaryMachine()
        try machine.write(
            "/etc/managed-defaults/policies.d/1.json",
            #"{ "Identifier": "a.b", "Forced": { "x.y": { "K": ["a"] } }, "Sealed": ["x.s"] }"#)
        machine.apply()
        try machine.write("/etc/managed-defaults/policies.d/1.json", "{")
        let rest = #""Users": ["bob"], "Until": "2999-01-01T00:00:00Z", "Reason": "r""#
        for (fields, isIdle) in [
            (#""Waivers": [ { "Domain": "x.y", "Key": "K", \#(rest) } ]"#, false),
            (#""Waivers": [ { "Domain": "x.s", "Key": "K", \#(rest) } ]"#, false),
            (#""Waivers": [ { "Domain": "x.y", "Key": "L", \#(rest) } ]"#, true),
            (#""Combine": { "x.y": { "K": "union" } }"#, false), (#""Combine": { "x.y": { "L": "union" } }"#, true),
        ] {
            let text = #"{ "Identifier": "a.c", \#(fields) }"#
            try machine.write("/etc/managed-defaults/policies.d/2.json", text)
            let codes = Lint.run(root: machine.root).map(\.code)
            #expect(codes.contains("last-good") && codes.contains("idle-rule") == isIdle, "\(fields)")
            // The content of a broken file without a copy is unknown.
            try machine.write("/set/2.json", text)
            #expect(Lint.run(files: [machine.directory.path + "/set"]).map(\.code) == ["idle-rule"], "\(fields)")
            try machine.write("/broken/1.json", "{")
            try machine.write("/broken/2.json", text)
            #expect(Lint.run(files: [machine.directory.path + "/broken"]).map(\.code) == ["truncated"], "\(fields)")
        }
    }

    @Test func `names the files that another one of their name replaces or switches off`() throws {
        let machine = try TemporaryMachine()
        for (name, more) in [("10-a.json", #""Enforced": true,"#), ("20-b.json", ""), ("30-c.json", "")] {
            try machine.force(name, 1, more: more)
        }
        try machine.force("40-d.json", 1, place: "run")
        try machine.force("10-a.json", 2, place: "run")
        let (etc, run) = ("/etc/managed-defaults/policies.d", "/run/managed-defaults/policies.d")
        try machine.link("\(run)/20-b.json", to: "/dev/null")
        try machine.link("\(etc)/40-d.json", to: "/dev/null")
        // A file that cannot be used replaces nothing.
        try machine.write("\(run)/30-c.json", "{")
        let found = Lint.run(root: machine.root).filter { $0.code == "replaced" }.map {
            "\($0.file.dropFirst(machine.directory.path.count)) \($0.severity) \($0.message)"
        }
        let nothing = "warning nothing of this file is in force: it"
        #expect(
            found == [
                "\(etc)/10-a.json \(nothing) is replaced by \(run)/10-a.json, although it is Enforced",
                "\(etc)/20-b.json \(nothing) is switched off by the link \(run)/20-b.json",
                "\(run)/40-d.json \(nothing) is switched off by the link \(etc)/40-d.json",
            ])
    }

    @Test func `names of a directory service may have blanks inside`() throws {
        let machine = try TemporaryMachine()
        try machine.write("/etc/group", "students:x:2001:\nteachers:x:2002:\ndomain users:x:2003:alice\n")
        try machine.force("a.json", 1, more: #""Target": { "Groups": ["domain users"] },"#)
        #expect(Lint.run(root: machine.root) == [])
        machine.apply()
        #expect(try machine.level() == .integer(1))
        #expect(try machine.level(user: "bob") == nil)
        for (clause, mistake) in [
            (#""Users": [" x"]"#, "begins or ends with a blank"), (#""Groups": ["x "]"#, "begins or ends with a blank"),
            (#""Users": ["a:b"]"#, "contains ':', which no such name does"), (#""Groups": [""]"#, "is empty"),
            (#""Groups": ["a\nb"]"#, "contains a control character"),
            (#""Tags": ["a b"]"#, "contains a blank or ':', which no such name does"),
            (#""Hosts": ["a b"]"#, "contains a blank or ':', which no such name does"), (#""Users": ["a b c"]"#, nil),
        ] {
            let text = "{ \"Identifier\": \"a.b\", \"Target\": { \(clause) }, \"Sealed\": [\"x.y\"] }"
            let parsed = PolicyFile.parse(bytes: Array(text.utf8), path: "1.json")
            #expect((parsed.file == nil) == (mistake != nil), "\(clause)")
            #expect(parsed.diagnostics.allSatisfy { $0.message.hasSuffix(mistake ?? "?") }, "\(clause)")
        }
    }

    @Test func `tries targets and waivers for the users of the user database`() throws {
        let lists = "by <root>/etc/passwd and <root>/etc/group"
        let ending = "so the file applies to nobody on this machine"
        let waiver = #""Domain": "x.y", "Key": "K", "Until": "2999-01-01T00:00:00Z", "Reason": "r""#
        let nobody = "nobody is in one of these groups"
        let lifts =
            "nobody on this machine is among those of this waiver and in the target of its file, so it lifts nothing here"
        let cases: [(fields: String, message: String?)] = [
            (#""Target": { "Groups": [❶"empty"] }"#, "\(lists) \(nobody), \(ending)"),
            (
                #""Target": { "Groups": [❶"chess", "students"], "Except": { "Users": ["alice"] } }"#,
                "\(lists) \(nobody) and outside of the exceptions of this target, \(ending)"
            ),
            (#""Target": { "Groups": ["chess", "teachers"], "Except": { "Users": ["alice"] } }"#, nil),
            (
                #"❶"Target": { "Except": { "Users": ["alice"], "Groups": ["teachers"] } }"#,
                "\(lists) the exceptions of this target take out everybody, \(ending)"
            ),
            (#""Target": { "Except": { "Users": ["alice"], "Groups": ["empty", "chess"] } }"#, nil),
            (
                #""Target": { "Hosts": ["room1-*"], "Except": { "Hosts": ["x", ❶"*-pc03"] } }"#,
                "the exception \"*-pc03\" of this target matches room1-pc03.lab.example, \(ending)"
            ),
            (#""Target": { "Except": { "Hosts": ["*-pc04"], "Tags": ["lab"] } }"#, nil),
            (
                #""Target": { "Except": { "Tags": ["lab", ❶"library"] } }"#,
                "this machine has the tag \"library\", which this target excepts, \(ending)"
            ),
            (#""Waivers": [ ❶{ "Groups": ["empty"], \#(waiver) } ]"#, "\(lists) \(lifts)"),
            (#""Target": { "Groups": ["chess"] }, "Waivers": [ ❶{ "Users": ["bob"], \#(waiver) } ]"#, lifts),
            (#""Target": { "Groups": ["chess"] }, "Waivers": [ { "Users": ["alice"], \#(waiver) } ]"#, nil),
            (
                #""Target": { "Groups": ["chess"] }, "Waivers": [ ❶{ "Groups": ["teachers"], \#(waiver) } ]"#,
                "\(lists) \(lifts)"
            ),
        ]
        for (fields, message) in cases {
            let machine = try TemporaryMachine()
            try machine.write("/etc/managed-defaults/tags", "library\n")
            try machine.write(
                "/etc/group", "students:x:2001:\nteachers:x:2002:\nchess:x:2003:alice\nempty:x:2004:gone\n")
            let source = MarkedSource(#"{ "Identifier": "a.x", "Forced": { "x.y": { "K": 1 } }, \#(fields) }"#)
            try machine.write("/etc/managed-defaults/policies.d/1.json", source.text)
            /// What lint says of the users that exist.
            func found() -> [String] {
                Lint.run(root: machine.root).filter { $0.code != "accounts" }.map {
                    "\($0.position) \($0.message) [\($0.code)]"
                }
            }
            let place = source.places["❶"].map(\.description) ?? ""
            let words = message?.replacing("<root>", with: machine.directory.path)
            #expect(found() == (words.map { ["\(place) \($0) [matches-nobody]"] } ?? []), "\(fields)")
            // If a line of the lists was skipped, or there are no lists, an account may exist.
            guard let message, message.hasPrefix("by") else { continue }
            try machine.write(
                "/etc/passwd", "alice:x:1001:2001:Alice:/home/alice:/bin/sh\nbob:x:1002:2002::/home/bob:/bin/sh\nx:y\n")
            #expect(found() == [], "\(fields)")
        }
    }

    @Test func `lints the policy files of folders, each folder by itself`() throws {
        let machine = try TemporaryMachine()
        try machine.force("x.json", 1)
        try machine.write("/repo/README.md", "# Policy")
        try machine.write("/repo/schema.json", "{ \"type\": \"object\" }")
        try machine.write("/repo/.git/config.json", "{")
        try machine.write("/repo/a/1.json", #"{ "Identifier": "a.b", "Forced": { "x.y": { "K": 1 } } }"#)
        try machine.write("/repo/a/2.json", #"{ "Identifier": "a.c", "Forced": { "x.y": { "K": 2 } } }"#)
        try machine.write("/repo/b/1.json", #"{ "Identifier": "a.b", "Forced": { "x.y": { "K": 3 } } }"#)
        try machine.write("/repo/b/2.json", "{ \"Identifier\": \"a.c\", \"Forced\": [] }")
        try machine.write("/repo/policies.d/1.json~", "{}")
        try machine.write("/repo/policies.d/2.json", "{ \"a\": 1 }")
        try machine.link("/repo/c", to: "a")
        let folder = machine.directory.path + "/repo"
        let found = Lint.run(files: [folder]).map {
            "\($0.file.dropFirst(folder.count)) \($0.code)"
        }
        #expect(
            found == [
                "/a/1.json never-wins", "/b/2.json wrong-type", "/policies.d/1.json~ ignored-name",
                "/policies.d/2.json missing-field", "/policies.d/2.json unknown-field", "/schema.json no-policy",
            ])
        #expect(Lint.run(files: [folder + "/"]).map(\.code) == Lint.run(files: [folder]).map(\.code))
    }

    @Test func `says of a folder that it has no policy file`() throws {
        let machine = try TemporaryMachine()
        try machine.makeDirectory("/repo/empty/deeper")
        try machine.write("/repo/text/README.md", "# Policy")
        try machine.write("/repo/other/1.json~", #"{ "Identifier": "a.b", "Forced": { "x.y": { "K": 1 } } }"#)
        try machine.write("/repo/good/a/1.json", #"{ "Identifier": "a.b", "Forced": { "x.y": { "K": 1 } } }"#)
        try machine.write("/repo/manifests.d/1.plist", "<plist version=\"1.0\"><dict/></plist>")
        for (folder, codes) in [
            ("empty", ["no-policy"]), ("text", ["no-policy"]), ("other", ["no-policy", "ignored-name"]), ("good", []),
        ] {
            let found = Lint.run(files: [machine.directory.path + "/repo/\(folder)"])
            #expect(found.map(\.code) == codes, "\(folder)")
        }
        #expect(!Lint.run(files: [machine.directory.path + "/repo/manifests.d"]).contains { $0.code == "no-policy" })
        #expect(!Lint.run(files: [machine.directory.path + "/repo"]).contains { $0.code == "no-policy" })
    }

    @Test func `says of a folder which names will not be read, and which files are no policy`() throws {
        let machine = try TemporaryMachine()
        let policy = #"{ "Identifier": "a.b", "Forced": { "x.y": { "K": 1 } } }"#
        for name in ["1.jsn", "2.JSON", ".3.json", "4.json~", "5.plist.bak", "6.mobileconfg"] {
            try machine.write("/repo/" + name, policy)
        }
        try machine.write("/repo/broken.json.orig", "{")
        // Files that belong into a repository and are not policy.
        try machine.write("/repo/.prettierrc.json", #"{ "tabWidth": 2 }"#)
        try machine.write("/repo/sources.list", "deb x")
        try machine.write("/repo/Makefile", policy)
        try machine.write("/repo/README.md", policy)
        let references = ##""properties": { "Forced": { "$ref": "#/$defs/domains" } }"##
        try machine.write(
            "/repo/policy.schema.json",
            ##"{ "$schema": "https://json-schema.org/draft/2020-12/schema", "Description": "x", \##(references) }"##)
        try machine.write("/repo/old.schema.json", "{ \(references) }")
        try machine.write(
            "/repo/meant.json", #"{ "$schema": "https://json-schema.org/schema", "Identifier": 1 }"#)
        let folder = machine.directory.path + "/repo"
        let found = Lint.run(files: [folder])
        #expect(
            found.map { "\($0.file.dropFirst(folder.count)) \($0.severity) \($0.code)" } == [
                "/.3.json warning ignored-name", "/1.jsn warning ignored-name", "/2.JSON warning ignored-name",
                "/4.json~ warning ignored-name", "/5.plist.bak warning ignored-name",
                "/6.mobileconfg warning ignored-name", "/broken.json.orig warning ignored-name",
                "/meant.json error wrong-type", "/old.schema.json warning no-policy",
                "/policy.schema.json warning no-policy",
            ])
        #expect(found.last?.message == "this file is a JSON schema and not a policy file, so it was not checked")
        let fixes = Lint.fixes(files: [folder])
        #expect(fixes.isEmpty)
    }

    @Test func `has no findings but warnings for the policies of this repository`() {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Policies").path
        // What common settings mean to programs is no policy.
        let findings = Lint.run(files: [folder]).filter { !$0.file.contains("/Policies/programs/") }
        #expect(findings.filter { $0.severity == .error } == [])
        #expect(Set(findings.filter { $0.file.hasSuffix(".schema.json") }.map(\.code)) == ["no-policy"])
    }

    @Test func `finds without a machine that a target takes out everybody whom it includes`() throws {
        let machine = try TemporaryMachine()
        for (number, target) in [
            #"{ "Users": ["x"], "Except": { "Users": ["x", "y"] } }"#, #"{ "Except": { "Hosts": ["*"] } }"#,
            #"{ "Users": ["x", "y"], "Except": { "Users": ["x"] } }"#,
        ].enumerated() {
            try machine.write(
                "/repo/\(number).json",
                "{ \"Identifier\": \"a.p\(number)\",\n \"Target\": \(target), \"Sealed\": [\"c.d\"] }")
        }
        let found = Lint.run(files: [machine.directory.path + "/repo"])
        #expect(
            found.map { "\(($0.file as NSString).lastPathComponent):\($0.position) \($0.code)" } == [
                "0.json:2:2 matches-nobody", "1.json:2:2 matches-nobody",
            ])
    }

    @Test(arguments: [
        (" k", "warning: the key \" k\" begins or ends with a blank [invalid-key]"),
        ("k ", "warning: the key \"k \" begins or ends with a blank [invalid-key]"),
        ("\u{202e}k", "warning: the key \"\\u{202e}k\" has a character that nobody sees [invalid-key]"),
        ("k\u{fc} 1", nil),
    ])
    func `warns of keys that look like others`(_ key: String, _ expected: String?) {
        let text = "{ \"Identifier\": \"a.b\", \"Forced\": { \"x.y\": {\n\"\(key)\": 1 } } }"
        let parsed = PolicyFile.parse(bytes: Array(text.utf8), path: "1.json")
        #expect(parsed.file != nil)
        #expect(parsed.diagnostics.map(\.description) == (expected.map { ["1.json:2:1: \($0)"] } ?? []))
    }

    @Test func `says which names no application asks for, and that ranges of days are none`() {
        let names = [
            "sfx.plist": "ends in .plist", "kCFPreferencesAnyApplication": "is another name of the global domain",
            "NSArgumentDomain": "which every program fills itself", "sp ": "begins or ends with a blank",
            "org.example.app*": "domains are no patterns", "zero\u{200b}width": "has a character that nobody sees",
        ]
        for (name, words) in names {
            let text =
                "{ \"Identifier\": \"a.b\", \"Forced\": { \"\(name)\": { \"K\": 1 } }, \"Sealed\": [\"org.example.App\"] }"
            let parsed = PolicyFile.parse(bytes: Array(text.utf8), path: "1.json")
            #expect(parsed.file != nil)
            #expect(parsed.diagnostics.map { "\($0.severity) \($0.code)" } == ["warning invalid-domain"], "\(name)")
            #expect(
                parsed.diagnostics.first?.message.hasSuffix(words) == true
                    || parsed.diagnostics.first?.message.contains(words) == true)
        }
        for (days, words) in [("Mon-Fri", "each day is written by itself"), ("Monday", "Mon is probably meant")] {
            let text = "{ \"Identifier\": \"a.b\", \"Target\": { \"Schedule\": { \"Days\": [\"\(days)\"] } } }"
            let parsed = PolicyFile.parse(bytes: Array(text.utf8), path: "1.json")
            #expect(parsed.diagnostics.first?.message.hasSuffix("not \"\(days)\"; \(words)") == true)
        }
    }

    @Test func `prints no name of a file at any length`() {
        let name = String(repeating: "long", count: 25_000)
        let text = "{ \"Identifier\": \"\(name)\", \"\(name)\": 1, \"Forced\": { \"\(name)\": { \"K\": 1 } } }"
        let parsed = PolicyFile.parse(bytes: Array(text.utf8), path: "1.json")
        #expect(parsed.diagnostics.count == 3)
        #expect(parsed.diagnostics.allSatisfy { $0.message.utf8.count < 2_100 })
        #expect(parsed.diagnostics.contains { $0.message.hasSuffix("is longer than 255 bytes") })
    }

    @Test(arguments: ["-g", "-globalDomain", "NSGlobaldomain", "nsglobaldomain"])
    func `takes another name of the global domain for a mistake`(_ domain: String) {
        let text = "{ \"Identifier\": \"a.b\", \"Forced\": { \"\(domain)\": { \"K\": 1 } } }"
        let parsed = PolicyFile.parse(bytes: Array(text.utf8), path: "1.json")
        #expect(parsed.file == nil)
        #expect(parsed.diagnostics.map(\.code) == ["invalid-domain"])
    }

    @Test func `holds values to manifests`() throws {
        let machine = try TemporaryMachine()
        let manifest = """
            <plist><dict><key>pfm_domain</key><string>org.x</string><key>pfm_title</key><string>X</string>
            <key>pfm_subkeys</key><array>
            <dict><key>pfm_name</key><string>Volume</string><key>pfm_type</key><string>integer</string>
            <key>pfm_range_max</key><integer>100</integer></dict>
            <dict><key>pfm_name</key><string>Balance</string></dict></array></dict></plist>
            """
        // Where a key is set as well, or one is not certainly another, nothing is meant in its place.
        let source = MarkedSource(
            #"{ "Identifier": "a.b", "Forced": { "org.x": { ❶"Volume": 170, "Volme": 7, ❷"Balnce": 7, "Other": 1, "Balances": 1 } }, "Recommended": { "org.x": { "Volume": 100 } } }"#
        )
        try machine.write("/etc/managed-defaults/manifests.d/org.x.plist", manifest)
        try machine.write("/etc/managed-defaults/policies.d/1.json", source.text)
        let path = machine.directory.path + "/etc/managed-defaults"
        let words = [
            ("❶", "by the manifest of org.x, \"Volume\" must be at most 100, and is 170"),
            ("❷", "the manifest of org.x has no key \"Balnce\"; Balance is probably meant"),
        ].map { mark, words in
            "1.json:\(source.places[Character(mark)] ?? .start): warning: \(words) [outside-manifest]"
        }
        // On the machine, and in the folders of a repository.
        for findings in [Lint.run(root: machine.root), Lint.run(files: [path])] {
            let found = findings.filter { $0.code == LintCode.outsideManifest.rawValue }.map {
                $0.description.replacingOccurrences(of: path + "/policies.d/", with: "")
            }
            #expect(found == words)
        }
    }

    @Test func `has a kebab-case code for every finding`() {
        for code in LintCode.allCases {
            #expect(code.rawValue.allSatisfy { $0.isLowercase || $0 == "-" })
        }
        #expect(Set(LintCode.allCases.map(\.rawValue)).count == LintCode.allCases.count)
    }
}
