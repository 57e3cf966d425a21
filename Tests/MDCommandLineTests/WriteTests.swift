import Foundation
import MDPropertyList
import MDTestSupport
import Testing

/// `write`, `delete` and `rename` of keys that policy leaves to the user.
struct WriteTests {
    /// A value on the command line and what is stored.
    struct Case: Sendable, CustomTestStringConvertible {
        /// The words behind the key.
        let words: [String]
        /// The value in the file.
        let value: Value

        var testDescription: String { words.joined(separator: " ") }
    }

    static let cases: [Case] = [
        Case(words: ["text"], value: .string("text")),
        Case(words: ["https://games.example/?q=1&x=2#y"], value: .string("https://games.example/?q=1&x=2#y")),
        Case(words: ["two words"], value: .string("two words")),
        Case(words: [""], value: .string("")),
        Case(words: ["5"], value: .string("5")),
        Case(words: ["-5"], value: .string("-5")),
        Case(words: ["-unknown"], value: .string("-unknown")),
        Case(words: ["--json"], value: .string("--json")),
        Case(words: ["-"], value: .string("-")),
        Case(words: ["\"in quotes\""], value: .string("in quotes")),
        Case(words: ["(a, \"b c\")"], value: .array([.string("a"), .string("b c")])),
        Case(words: ["{ a = 1; }"], value: .dictionary(["a": .string("1")])),
        Case(words: ["<0fbd 77>"], value: .data([0x0f, 0xbd, 0x77])),
        Case(words: ["<plist><array><integer>5</integer></array></plist>"], value: .array([.integer(5)])),
        Case(words: ["-string", "-int"], value: .string("-int")),
        Case(words: ["-string", "{ no list"], value: .string("{ no list")),
        Case(words: ["-string", ""], value: .string("")),
        Case(words: ["-int", "42"], value: .integer(42)),
        Case(words: ["-integer", "-42"], value: .integer(-42)),
        Case(words: ["-int", "18446744073709551615"], value: .integer(Integer(UInt64.max))),
        Case(words: ["-int", "-9223372036854775808"], value: .integer(Integer(Int64.min))),
        Case(words: ["-float", "1.5"], value: .real(1.5)),
        Case(words: ["-float", "-2e3"], value: .real(-2000)),
        Case(words: ["-float", "2"], value: .real(2)),
        Case(words: ["-bool", "YES"], value: .boolean(true)),
        Case(words: ["-boolean", "false"], value: .boolean(false)),
        Case(words: ["-bool", "1"], value: .boolean(true)),
        Case(words: ["-data", "0FBD 77"], value: .data([0x0f, 0xbd, 0x77])),
        Case(words: ["-data", ""], value: .data([])),
        Case(words: ["-date", "2001-01-01T00:01:00Z"], value: .date(60)),
        Case(words: ["-date", "2001-01-01 01:01:00 +0100"], value: .date(60)),
        Case(words: ["-date", "2001-01-01T01:01:00+01:00"], value: .date(60)),
        Case(words: ["-date", "2001-01-02"], value: .date(86_400)),
        Case(words: ["-array"], value: .array([])),
        Case(
            words: ["-array", "a", "-int", "5", "(b)", "-7"],
            value: .array([.string("a"), .integer(5), .array([.string("b")]), .string("-7")])),
        Case(words: ["-array-add", "a"], value: .array([.string("a")])),
        Case(words: ["-dict"], value: .dictionary([:])),
        Case(
            words: ["-dict", "a", "-bool", "no", "-string", "-int", "x"],
            value: .dictionary(["a": .boolean(false), "-int": .string("x")])),
        Case(words: ["-dict-add", "a", "b"], value: .dictionary(["a": .string("b")])),
    ]

    @Test(
        arguments: [
            (["--", "-x", "-int", "5"], "-x", Value.integer(5)), (["--", "-x", "5"], "-x", .string("5")),
            (["--", "--", "5"], "--", .string("5")), (["-x", "--", "5"], nil, .string("5")),
            (["--", "{ a = 1; }"], "a", .string("1")), (["-x", "-string", "--"], "-x", .string("--")),
        ] as [([String], String?, Value)])
    func `dashes behind the domain end the options`(_ words: [String], key: String?, value: Value) throws {
        let lab = try Lab()
        let result = try lab.run(as: "bob", ["write", "org.new"] + words)
        #expect(result.code == (key == nil ? 2 : 0), "\(result)")
        #expect(try lab.stored("bob", "org.new") == key.map { [Key($0): value] })
    }

    @Test(arguments: ["{ \"\" = 1; a = 2; }", "{ a = { \"\" = 1; }; }"])
    func `no domain takes the empty key`(_ dictionary: String) throws {
        let lab = try Lab()
        let isInside = dictionary.hasPrefix("{ a")
        let result = try lab.run(as: "bob", ["write", "org.new", dictionary])
        #expect(result.code == (isInside ? 0 : 5))
        #expect(result.error.contains("A key is empty") == !isInside)
        #expect(try lab.run(as: "bob", ["import", "org.new", "-"], input: dictionary).code == (isInside ? 0 : 5))
        #expect(try lab.stored("bob", "org.new") == (isInside ? ["a": .dictionary(["": .string("1")])] : nil))
    }

    @Test func `a date without zone is in that of the machine`() throws {
        let lab = try Lab()
        try FileManager.default.createSymbolicLink(
            atPath: lab.path + "/etc/localtime", withDestinationPath: "/usr/share/zoneinfo/Etc/GMT-1")
        let zone = lab.path + "/usr/share/zoneinfo/Etc"
        try FileManager.default.createDirectory(atPath: zone, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: "/usr/share/zoneinfo/Etc/GMT-1", toPath: zone + "/GMT-1")
        // As Ansible's osx_defaults writes it.
        let result = try lab.run(as: "bob", ["write", "org.new", "key", "-date", "2001-01-01 01:01:00"])
        #expect(result.code == 0, "\(result)")
        #expect(try lab.stored("bob", "org.new") == ["key": .date(60)])
        for text in ["2001-01-01 25:00:00", "tomorrow 01:01:00", "2001-01-01 01:01"] {
            let result = try lab.run(as: "bob", ["write", "org.new", "key", "-date", text])
            #expect(result.code == 5 && result.error.contains("is no date"), "\(result)")
        }
    }

    @Test func `a user whose name begins with a dash is a user`() throws {
        let lab = try Lab()
        let users = "etc/passwd"
        let line = try #require(
            try String(contentsOfFile: lab.path + "/" + users, encoding: .utf8).split(separator: "\n").first)
        #expect(try lab.edit(users, String(line), "\(line)\n-eve:x:2999:2999:Eve:/home/-eve:/bin/sh"))
        try FileManager.default.createDirectory(atPath: lab.path + "/home/-eve", withIntermediateDirectories: true)
        let policy = #"{"Identifier":"org.eve","Target":{"Users":["-eve"]},"Forced":{"org.new":{"k":1}}}"#
        let file = lab.path + "/etc/managed-defaults/policies.d/90-eve.json"
        try Data(policy.utf8).write(to: URL(fileURLWithPath: file))
        #expect(try lab.run(as: "-eve", ["forced", "org.new", "k"]).output == "forced\n")
        #expect(try lab.run(as: "bob", ["forced", "org.new", "k"]).output == "not forced\n")
        #expect(try lab.run(as: "-eve", ["write", "org.new", "k", "2"]).code == 3)
        #expect(try lab.attempts() == ["-eve cli refused org.new k value"])
        for words in [["--user", "-eve"], ["--user=-eve"]] {
            let listed = try lab.run(["audit", "list", "--json"] + words)
            #expect(listed.output.contains(#""user":"-eve""#), "\(listed)")
        }
        #expect(!(try lab.run(["audit", "list", "--json", "--user", "-bob"]).output.contains("-eve")))
    }

    @Test(arguments: cases) func `stores the value with its type`(_ example: Case) throws {
        let lab = try Lab()
        let before = try #require(try lab.stored("bob", "org.example.Player"))
        let result = try lab.run(as: "bob", ["write", "org.example.Player", "New"] + example.words)
        #expect(result.error == "")
        #expect(result.output == "")
        #expect(result.code == 0)
        var after = try #require(try lab.stored("bob", "org.example.Player"))
        let written = after.removeValue(forKey: "New")
        let value = try #require(written)
        #expect(value == example.value)
        #expect(value.typeName == example.value.typeName)
        #expect(after == before, "other keys stay")
    }

    @Test func `extends what is stored`() throws {
        let lab = try Lab()
        for words in [["-array", "a"], ["-array-add", "-int", "5"], ["-array-add", "b", "c"]] {
            #expect(try lab.run(as: "bob", ["write", "org.example.New", "List"] + words).code == 0)
        }
        for words in [["-dict", "a", "1", "b", "2"], ["-dict-add", "b", "-int", "3", "c", "4"]] {
            #expect(try lab.run(as: "bob", ["write", "org.example.New", "Map"] + words).code == 0)
        }
        #expect(
            try lab.stored("bob", "org.example.New") == [
                "List": .array([.string("a"), .integer(5), .string("b"), .string("c")]),
                "Map": .dictionary(["a": .string("1"), "b": .integer(3), "c": .string("4")]),
            ])
        for (key, flag, kind) in [("List", "-dict-add", "dictionary"), ("Map", "-array-add", "array")] {
            let result = try lab.run(as: "bob", ["write", "org.example.New", key, flag, "a", "b"])
            #expect(result.code == 5)
            let text = "Value for key \(key) is not \(kind == "array" ? "an" : "a") \(kind); cannot append.  "
            #expect(result.error == "mdefaults: \(text)Leaving defaults unchanged.\n")
        }
    }

    @Test func `a dictionary replaces the domain`() throws {
        let lab = try Lab()
        #expect(try lab.run(as: "bob", ["write", "org.example.Player", "{ A = 1; B = (x); }"]).code == 0)
        #expect(try lab.stored("bob", "org.example.Player") == ["A": .string("1"), "B": .array([.string("x")])])
        let result = try lab.run(as: "bob", ["write", "org.example.Player", "(x)"])
        #expect(result.code == 5)
        #expect(result.error.contains("\nRep argument is not a dictionary\nDefaults have not been changed.\n"))
    }

    @Test func `writes the global domain and the domains of this host`() throws {
        let lab = try Lab()
        #expect(try lab.run(as: "bob", ["write", "-g", "G", "v"]).code == 0)
        #expect(try lab.stored("bob", ".GlobalPreferences") == ["G": .string("v")])
        #expect(try lab.run(as: "bob", ["-currentHost", "write", "org.example.New", "K", "here"]).code == 0)
        #expect(try lab.stored("bob", "org.example.New") == nil)
        let host = "ByHost/org.example.New.3f1c9a5e7b2d4c608e91a7d05b64f2c3"
        #expect(try lab.stored("bob", host) == ["K": .string("here")])
        #expect(try lab.run(as: "bob", ["read", "org.example.New", "K"]).output == "here\n")
        #expect(try lab.run(as: "bob", ["-currentHost", "delete", "org.example.New"]).code == 0)
        #expect(try lab.run(as: "bob", ["read", "org.example.New", "K"]).code == 1)
    }

    @Test(arguments: [
        (["-int", "abc"], "no whole number"), (["-int", "1.5"], "no whole number"),
        (["-int", "18446744073709551616"], "no whole number"), (["-float", "1x"], "no number"),
        (["-float", "0x1p3"], "no number"), (["-bool", "maybe"], "neither true nor false"),
        (["-data", "xyz"], "no data"), (["-data", "abc"], "3 hexadecimal digits"), (["-date", "soon"], "no date"),
        (["-date", "2026-02-30"], "no date"), (["(a"], "Could not parse: (a.  Try single-quoting it. At 1:"),
        (["{ a = ; }"], "Could not parse"), (["<xml"], "Could not parse"),
        (["-dict", "a"], "Key a lacks a corresponding value"), (["-dict-add", "a", "b", "c"], "Key c lacks"),
        (["-dict", "-int", "5", "a"], "Dictionary keys must be strings"), (["-array", "("], "Could not parse"),
        (["-array", "-bool", "x"], "neither true nor false"), (["(\u{1b}[2J"], "\\u{1b}[2J"),
    ])
    func `a value that is none changes nothing`(_ words: [String], _ sentence: String) throws {
        let lab = try Lab()
        let result = try lab.run(as: "bob", ["write", "org.example.New", "K"] + words)
        #expect(result.code == 5)
        #expect(result.error.contains(sentence))
        #expect(!result.error.contains("usage:") && !result.error.contains("\u{1b}"))
        #expect(result.output == "")
        #expect(try lab.stored("bob", "org.example.New") == nil)
    }

    @Test func `processes that write at once lose nothing`() async throws {
        let lab = try Lab()
        _ = try lab.run(as: "chen", ["read", "-g", "X"])
        try await withThrowingTaskGroup(of: Int32.self) { group in
            for writer in 0..<2 {
                group.addTask {
                    var code: Int32 = 0
                    for number in 0..<10 {
                        let words = ["write", "org.example.New", "K\(writer)-\(number)", "-int", "\(number)"]
                        code |= try lab.run(as: "chen", words).code
                        code |= try lab.run(as: "chen", ["write", "org.example.New", "L", "-array-add", "x"]).code
                    }
                    return code
                }
            }
            for try await code in group { #expect(code == 0) }
        }
        let stored = try #require(try lab.stored("chen", "org.example.New"))
        #expect(stored.count == 21)
        #expect(stored["L"] == .array(Array(repeating: .string("x"), count: 20)))
    }

    @Test func `a damaged file is set aside, reported and kept`() throws {
        let lab = try Lab()
        let damaged = try #require(FileManager.default.contents(atPath: lab.file(of: "dora", "org.example.Player")))
        // What needs the stored value cannot be done, and touches nothing.
        for words in [["delete", "org.example.Player", "K"], ["rename", "org.example.Player", "K", "L"]] {
            let result = try lab.run(as: "dora", words)
            #expect(result.code == 5)
            #expect(result.error.contains("org.example.Player.plist:15:15: the preference file is damaged"))
        }
        #expect(FileManager.default.contents(atPath: lab.file(of: "dora", "org.example.Player")) == damaged)
        #expect(try lab.run(as: "dora", ["import", "org.example.Player", "-"], input: "{}").code == 0)
        #expect(FileManager.default.contents(atPath: lab.file(of: "dora", "org.example.Player")) == damaged)
        let result = try lab.run(as: "dora", ["write", "org.example.Player", "Volume", "-int", "5"])
        #expect(result.code == 0)
        #expect(
            result.error.contains(":15:15: the preference file is damaged") && result.error.contains("it is kept as"))
        #expect(try lab.stored("dora", "org.example.Player") == ["Volume": .integer(5)])
        let folder = lab.path + "/home/dora/.config"
        let kept = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".damaged-") }
        #expect(kept.count == 1)
        #expect(FileManager.default.contents(atPath: folder + "/" + (kept.first ?? "")) == damaged)
    }

    @Test func `no message, record or report quotes what a damaged file holds`() throws {
        let lab = try Lab()
        let files = [
            "<plist version=\"1.0\"><dict><key>Pin</key><integer>PIN-4466-LEAK</integer></dict></plist>",
            "{ Pin = <*DPIN-4466-LEAK>; }", "<plist><dict><key>Pin</key><string>&PIN-LEAK;</string></dict></plist>",
        ]
        for (number, text) in files.enumerated() {
            try lab.write("home/dora/.config/org.example.Secret\(number).plist", text)
            let read = try lab.run(as: "dora", ["read", "org.example.Secret\(number)"])
            #expect(read.code == 5 && !read.error.contains("LEAK"), "\(read)")
            for words in [["doctor"], ["report"], ["report", "--format", "json"]] {
                let said = try lab.managed(words)
                #expect(!said.output.contains("LEAK") && !said.error.contains("LEAK"), "\(said)")
            }
            let result = try lab.run(as: "dora", ["write", "org.example.Secret\(number)", "Other", "1"])
            #expect(result.error.contains("the preference file is damaged") && !result.error.contains("LEAK"))
        }
        let records = try lab.managed("audit", "list", "--json", "--kind", "damaged").output
        #expect(records.contains("org.example.Secret2") && records.contains("is damaged") && !records.contains("LEAK"))
    }

    @Test func `what stands in the place of a preference file is said, and left alone`() throws {
        let lab = try Lab()
        let path = lab.file(of: "bob", "org.example.New")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        for line in [
            ["write", "org.example.New", "K", "v"], ["read", "org.example.New"], ["delete", "org.example.New"],
        ] {
            let result = try lab.run(as: "bob", line)
            #expect(result.code == 4)
            #expect(result.error.contains("/home/bob/.config/org.example.New.plist"))
            let isWriting = line.first != "read"
            #expect(result.error.hasSuffix("\nCould not write domain org.example.New; exiting\n") == isWriting)
            #expect(result.output == "")
        }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/passwd")
        #expect(try lab.run(as: "bob", ["write", "org.example.New", "K", "v"]).code == 4)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "/etc/passwd")
    }

    @Test func `removes a key, then a domain`() throws {
        let lab = try Lab()
        let before = try #require(try lab.stored("bob", "org.example.Player"))
        let key = try #require(before.keys.sorted().first)
        let result = try lab.run(as: "bob", ["delete", "org.example.Player", key.string])
        #expect(result.code == 0)
        #expect(result.error == "")
        #expect(try lab.stored("bob", "org.example.Player") == before.filter { $0.key != key })
        #expect(try lab.run(as: "bob", ["delete", "org.example.Player"]).code == 0)
        #expect(!FileManager.default.fileExists(atPath: lab.file(of: "bob", "org.example.Player")))
    }

    @Test(arguments: [
        ("delete org.example.Nope", "", "Domain (org.example.Nope) not found.\nDefaults have not been changed.\n"),
        (
            "remove org.example.Player Nope", "mdefaults: org.example.Player has no key Nope stored.\n",
            "Domain (org.example.Player) not found.\nDefaults have not been changed.\n"
        ),
        (
            "rename org.example.Player Nope New", "mdefaults: ",
            "Key Nope does not exist in domain org.example.Player; leaving defaults unchanged\n"
        ),
        ("export org.example.Nope -", "mdefaults: ", "The domain org.example.Nope does not exist\n"),
    ])
    func `what is not there is said in Apple's words`(_ line: String, _ front: String, _ text: String) throws {
        let lab = try Lab()
        let before = FileManager.default.contents(atPath: lab.file(of: "bob", "org.example.Player"))
        let result = try lab.run(as: "bob", line.split(separator: " ").map(String.init))
        #expect(result.error == front + text)
        #expect(result.code == 1)
        #expect(FileManager.default.contents(atPath: lab.file(of: "bob", "org.example.Player")) == before)
    }

    @Test func `renames over a value that is there`() throws {
        let lab = try Lab()
        for (key, value) in [("A", "1"), ("B", "2")] {
            #expect(try lab.run(as: "bob", ["write", "org.example.New", key, value]).code == 0)
        }
        #expect(try lab.run(as: "bob", ["rename", "org.example.New", "A", "B"]).code == 0)
        #expect(try lab.stored("bob", "org.example.New") == ["B": .string("1")])
        #expect(try lab.run(as: "bob", ["rename", "org.example.New", "B", "B"]).code == 0)
        #expect(try lab.stored("bob", "org.example.New") == ["B": .string("1")])
    }
}
