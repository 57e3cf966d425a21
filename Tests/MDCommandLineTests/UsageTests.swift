import Foundation
import MDTestSupport
import Testing

/// Wrong command lines, and what `help` and `version` print.
struct UsageTests {
    /// A command line that is wrong.
    struct Case: Sendable, CustomTestStringConvertible {
        /// The words.
        let words: [String]
        /// The sentence about it.
        let sentence: String
        /// The verb whose usage helps; `nil` for the whole program's.
        let verb: String?

        var testDescription: String { words.joined(separator: " ") }
    }

    static let cases: [Case] = [
        Case(words: ["frobnicate"], sentence: "There is no verb frobnicate. mdefaults help lists them.", verb: nil),
        Case(words: [""], sentence: "The verb is empty. mdefaults help lists them.", verb: nil),
        Case(
            words: ["--host", "no host", "forced"], sentence: "no host cannot be the name of a host.", verb: nil),
        Case(words: ["--frob", "read"], sentence: "The option --frob is not known.", verb: nil),
        Case(
            words: ["read", "D", "K", "x"], sentence: "Unexpected argument x; leaving defaults unchanged.", verb: "read"
        ),
        Case(words: ["read", "-app"], sentence: "The application behind -app is missing.", verb: "read"),
        Case(
            words: ["read", "a..b"],
            sentence: "\"a..b\" cannot be the name of a domain: it contains two dots in a row.", verb: "read"),
        Case(words: ["read", ""], sentence: "\"\" cannot be the name of a domain: it is empty.", verb: "read"),
        Case(
            words: ["read", "a\u{1b}b"],
            sentence: "\"a\\u{1b}b\" cannot be the name of a domain: it contains a control character.", verb: "read"),
        Case(words: ["read", "folder/"], sentence: "folder/ does not name a file.", verb: "read"),
        Case(words: ["read-type"], sentence: "A domain is missing.", verb: "read-type"),
        Case(words: ["read-type", "D"], sentence: "A key is missing.", verb: "read-type"),
        Case(
            words: ["read-type", "D", "K", "x"], sentence: "Unexpected argument x; leaving defaults unchanged.",
            verb: "read-type"),
        Case(words: ["write"], sentence: "A domain is missing.", verb: "write"),
        Case(words: ["write", "D"], sentence: "A key or a dictionary is missing.", verb: "write"),
        Case(words: ["write", "D", "K", "-int"], sentence: "The value behind -int is missing.", verb: "write"),
        Case(
            words: ["write", "D", "K", "a", "b"],
            sentence: "Unexpected argument b; leaving defaults unchanged.", verb: "write"),
        Case(
            words: ["write", "D", "K", "-int", "5", "6"],
            sentence: "Unexpected argument 6; leaving defaults unchanged.", verb: "write"),
        Case(
            words: ["write", "D", "{ a = 1; }", "-dict", "a", "-array", "b"],
            sentence: "Cannot nest composite types (arrays and dictionaries); exiting", verb: "write"),
        Case(words: ["write", "D", "", "x"], sentence: "The key is empty.", verb: "write"),
        Case(
            words: ["write", "-int", "K", "x"],
            sentence: "The option -int is not understood here; a domain is expected.", verb: "write"),
        Case(
            words: ["--host", "room2-pc01", "write", "D", "K", "v"],
            sentence: "--host asks what would be on another host; write works on this one.", verb: "write"),
        Case(words: ["delete"], sentence: "A domain is missing.", verb: "delete"),
        Case(
            words: ["delete", "D", "K", "x"], sentence: "Unexpected argument x; leaving defaults unchanged.",
            verb: "delete"),
        Case(words: ["rename", "D", "A"], sentence: "The new key is missing.", verb: "rename"),
        Case(words: ["rename", "D", "A", ""], sentence: "The new key is empty.", verb: "rename"),
        Case(
            words: ["rename", "D", "A", "B", "C"], sentence: "Unexpected argument C; leaving defaults unchanged.",
            verb: "rename"),
        Case(words: ["domains", "x"], sentence: "Unexpected argument x; leaving defaults unchanged.", verb: "domains"),
        Case(words: ["export", "D"], sentence: "A file, or - for standard output, is missing.", verb: "export"),
        Case(
            words: ["export", "D", "-", "x"], sentence: "Unexpected argument x; leaving defaults unchanged.",
            verb: "export"),
        Case(words: ["import", "D"], sentence: "Need a path to read from", verb: "import"),
        Case(
            words: ["import", "D", "-", "x"], sentence: "Unexpected argument x; leaving defaults unchanged.",
            verb: "import"),
    ]

    @Test(arguments: cases) func `a wrong command line is answered with a sentence and usage`(_ example: Case) throws {
        let lab = try Lab()
        let result = try lab.run(as: "bob", example.words)
        var lines = result.error.components(separatedBy: "\n")
        #expect(lines.first == "mdefaults: " + example.sentence)
        lines.removeFirst()
        #expect(lines.first?.hasPrefix("usage: mdefaults \(example.verb ?? "[--root DIR]")") == true)
        for line in lines.dropFirst() where !line.isEmpty {
            // What does not fit goes on below, indented.
            #expect(
                line.hasPrefix("           ") || line.hasPrefix("       mdefaults \(example.verb ?? "-")"), "\(line)")
            #expect(line.count <= 80, "\(line)")
        }
        #expect(result.output == "")
        #expect(result.code == 2)
    }

    @Test(arguments: [
        "read", "read-type", "write", "delete", "remove", "rename", "domains", "find", "export", "import",
    ])
    func `help explains the verb`(_ verb: String) throws {
        let lab = try Lab()
        for words in [["help", verb], [verb, "--help"], [verb, "-h"]] {
            let result = try lab.run(words)
            #expect(result.code == 0)
            #expect(result.output.hasPrefix("mdefaults \(verb == "remove" ? "delete" : verb): "))
            #expect(result.error == "")
        }
    }

    @Test func `help explains a verb that goes on with words of its own`() throws {
        let lab = try Lab()
        for words in ["policy exam start", "policy exam stop", "Policy Exam Start", "policy exam"] {
            let result = try lab.run(["help"] + words.split(separator: " ").map(String.init))
            #expect(result.code == 0 && result.output.hasPrefix("mdefaults policy exam: "), "\(words)")
        }
        for words in ["policy exam begin", "policy exam start SET now", "policy lint x"] {
            let result = try lab.run(["help"] + words.split(separator: " ").map(String.init))
            #expect(result.code == 2 && result.error.contains("There is no verb \(words) to explain."), "\(words)")
        }
    }

    @Test func `an unknown user is named with those that there are`() throws {
        let lab = try Lab()
        let result = try lab.run(as: "nobody-here", ["read", "D"])
        #expect(result.code == 2)
        #expect(result.error.contains("has no user nobody-here") && result.error.contains("alice"))
    }

    @Test func `a misspelt user is answered with people of a near name, before system accounts`() throws {
        let lab = try Lab()
        let passwd = "root:x:0:0::/root:/bin/sh\nmail:x:8:8::/:\nmaik:x:1005:1005::/home/maik:/bin/sh\nftp:x:9:9::/:\n"
        try passwd.write(toFile: lab.path + "/etc/passwd", atomically: true, encoding: .utf8)
        for (name, answer) in [
            ("mai", "Perhaps one of these is meant: maik."), ("ftpp", "is meant: ftp."),
            ("zoe", "There are: root, maik."),
        ] {
            let error = try lab.run(as: name, ["read", "D"]).error
            #expect(error.contains("has no user \(name). ") && error.contains(answer), "\(error)")
        }
    }

    @Test func `a folder without users names nobody`() throws {
        let lab = try Lab()
        try "".write(toFile: lab.path + "/etc/passwd", atomically: true, encoding: .utf8)
        let result = try lab.run(as: "bob", ["read", "D"])
        #expect(result.code == 2)
        #expect(result.error.contains("has no user bob. No people are known.\n"))
    }

    @Test func `every verb says that the folder of --root is missing in the same words`() throws {
        let lab = try Lab()
        let process = MDefaultsProcess(folder: lab.folder)
        for words in [
            ["forced"], ["report"], ["doctor"], ["audit", "list"], ["audit", "verify"], ["policy", "lint"],
        ] {
            let result = try process.run(["--root", "nowhere"] + words)
            #expect(result.code == 4)
            #expect(result.error.hasPrefix("mdefaults: The folder of --root cannot be used: "))
        }
    }

    @Test func `the version for programs is a document`() throws {
        let lab = try Lab()
        let result = try lab.run(["--version", "--json"])
        #expect(result.output.hasPrefix("{\"name\":\"mdefaults\",\"version\":\""))
    }

    @Test(arguments: ["policy lint", "forced", "audit list", "report", "help"])
    func `output that is lost is exit 4, whatever is said behind it`(_ words: String) throws {
        let lab = try Lab()
        let list = words.components(separatedBy: " ")
        let user = Lab.option(ofUser: "bob", for: list).joined(separator: " ")
        let script = "exec \"$0\" --root \"$1\" \(user) \(words) > /dev/full"
        try lab.apply()
        let run = try SpawnedProgram.run("/bin/sh", ["-c", script, MDefaultsProcess.path, lab.path])
        #expect(run.code == 4)
        #expect(run.error.contains("mdefaults: cannot write to standard output: No space left on device.\n"))
    }

    @Test func `bytes that are no text are refused`() throws {
        let lab = try Lab()
        // A shell can write what Foundation's arguments cannot hold.
        let script = "exec \"$0\" --root \"$1\" --user bob write org.example.New \"$(printf 'K\\377')\" v"
        let run = try SpawnedProgram.run("/bin/sh", ["-c", script, MDefaultsProcess.path, lab.path])
        #expect(run.code == 2)
        #expect(run.error.hasPrefix("mdefaults: The command line has bytes that are not valid UTF-8.\n"))
        #expect(try lab.stored("bob", "org.example.New") == nil)
        #expect(try lab.run(as: "bob", ["write", "org.example.New", "K\u{fffd}", "v"]).code == 0)
    }

    @Test(arguments: [
        ("explain", "DOMAIN and KEY are missing.", "explain DOMAIN KEY [--all] [--json]"),
        ("explain org.example.Browser", "KEY is missing.", "explain DOMAIN KEY [--all] [--json]"),
        ("explain a b c", "The word c is not understood here.", "explain DOMAIN KEY [--all] [--json]"),
        (
            "explain --al a b", "The option --al is not understood here. Probably --all is meant.",
            "explain DOMAIN KEY [--all] [--json]"
        ),
        ("explain ../etc b", "cannot be the name of a domain", "explain DOMAIN KEY [--all] [--json]"),
        ("forced a b c", "The word c is not understood here.", "forced DOMAIN KEY [--json]"),
        (
            "forced a --jsn", "The option --jsn is not understood here. Probably --json is meant.",
            "forced DOMAIN KEY [--json]"
        ),
        ("policy", "A word is missing behind policy.", "policy list [--json]"),
        (
            "policy lnt", "There is no verb policy lnt. Probably policy lint is meant.",
            "policy lint [FILE|FOLDER…|-] [--format text|json|sarif] [--fix]"
        ),
        (
            "policy lint --format", "--format needs a value.",
            "policy lint [FILE|FOLDER…|-] [--format text|json|sarif] [--fix]"
        ),
        (
            "policy lint --format xml", "There is no format xml",
            "policy lint [FILE|FOLDER…|-] [--format text|json|sarif] [--fix]"
        ),
        (
            "policy lint --format text --json", "contradict each other",
            "policy lint [FILE|FOLDER…|-] [--format text|json|sarif] [--fix]"
        ),
        ("policy lint --format json --format=text", "--format stands twice.", "policy lint [FILE|FOLDER…|-]"),
        (
            "policy lint -x", "The option -x is not understood here.",
            "policy lint [FILE|FOLDER…|-] [--format text|json|sarif] [--fix]"
        ),
        (
            "policy uninstall x", "To take policy away, remove its file and run policy apply, or policy rollback;", ""
        ),
        (
            "uninstall x", "To take policy away, remove its file and run policy apply, or policy rollback;",
            "[--root DIR]"
        ),
        ("policy quux", "There is no verb policy quux. mdefaults help policy lists them.", ""),
        ("audit list --last 5", "Probably --limit or --since is meant.", "audit list [--since TIME]"),
        ("policy list all", "The word all is not understood here.", "policy list [--json]"),
        ("policy show --levels", "The option --levels is not understood here.", "policy show [--json]"),
        ("--user nobody-here policy list", "has no user nobody-here", ""),
        ("audit", "A word is missing behind audit.", "audit verify [FILE…] [--against CHECKPOINT]"),
        ("audit list x", "The word x is not understood here.", "audit list [--since TIME]"),
        ("audit list --since someday", "is no time such as", "audit list [--since TIME]"),
        ("audit list --until 2026-11-31T00:00:00Z", "is no time such as", "audit list [--since TIME]"),
        (
            "audit list --since 2026-11-21T00:00:00Z --until 2026-11-20T00:00:00Z", "is later than --until",
            "audit list [--since TIME]"
        ),
        ("audit list --kind overrides", "There is no kind overrides", "audit list [--since TIME]"),
        ("audit list --limit 0", "is no whole number from 1 on", "audit list [--since TIME]"),
        ("audit list --limit -1", "is no whole number from 1 on", "audit list [--since TIME]"),
        ("audit list --limit 99999999999999999999", "is no whole number from 1 on", "audit list [--since TIME]"),
        ("audit list --user", "--user needs a value.", "audit list [--since TIME]"),
        ("audit list --user --json", "--user needs a value.", "audit list [--since TIME]"),
        ("audit list --user a --user=b", "--user stands twice.", "audit list [--since TIME]"),
        ("audit list --key", "--key needs a value.", "audit list [--since TIME]"),
        (
            "audit verify --quick", "The option --quick is not understood here.",
            "audit verify [FILE…] [--against CHECKPOINT]"
        ),
    ])
    func `exits 2 with a sentence and the usage`(_ words: String, _ sentence: String, _ usage: String) throws {
        let result = try Lab().managed(words.split(separator: " ").map(String.init))
        #expect(result.code == 2)
        #expect(result.output == "")
        #expect(result.error.contains(sentence))
        #expect(usage.isEmpty || result.error.contains("mdefaults \(usage)"))
    }

    @Test func `a misspelt verb is suggested, and a group of verbs explains itself`() throws {
        let lab = try Lab()
        #expect(try lab.managed("forcd", "a.b").error.contains("There is no verb forcd a.b. Probably forced is meant."))
        for (words, meant) in [
            (["lint"], "policy lint"), (["lnt"], "policy lint"), (["exm"], "policy exam"),
            (["list"], "policy list or audit list or programs list"), (["--colr", "x"], "--color"),
        ] {
            let result = try lab.managed(words)
            #expect(result.code == 2 && result.error.contains(" Probably \(meant) is meant."), "\(result)")
        }
        #expect(try !lab.managed("quux").error.contains("Probably"))
        for option in ["--help", "-h"] {
            let group = try lab.managed("policy", option)
            #expect(group.code == 0)
            #expect(group.output == (try lab.managed("help", "policy").output))
        }
        #expect(try lab.managed("polcy", "--help").code == 2)
        // One screen.
        let lines = try lab.managed("help", "policy").output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 25 && lines.allSatisfy { $0.count <= 80 })
        for word in ["look", "change", "for a while", "  install ", "  also: show, digest, facts, schema"] {
            #expect(lines.contains { $0.hasPrefix(word) }, "\(word)")
        }
    }

    @Test(arguments: [
        ("explain", "explain DOMAIN KEY"), ("forced", "forced DOMAIN KEY"),
        ("policy lint", "policy lint [FILE|FOLDER…|-]"),
        ("policy list", "policy list [--json]"), ("policy show", "policy show [--json]"),
        ("audit list", "--since TIME, --until TIME"), ("audit verify", "10 altered"),
        ("audit tail", "--lines N"), ("audit export", "--format ocsf"),
    ])
    func `help names usage, JSON and exit codes within 120 columns`(_ verb: String, _ line: String) throws {
        let lab = try Lab()
        let words = verb.split(separator: " ").map(String.init)
        let result = try lab.managed(["help"] + words)
        #expect(result.code == 0)
        #expect(result.output.contains("mdefaults \(verb)"))
        #expect(result.output.contains(line))
        #expect(result.output.contains("JSON"))
        #expect(result.output.contains("exit codes: 0"))
        #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= 120 })
        let behind = try lab.managed(words + ["--help"])
        #expect(behind.code == 0)
        #expect(behind.output == result.output)
        // Some verbs have lines of JSON, which their help describes.
        guard result.output.contains("JSON: mdefaults help \(verb) --json") else { return }
        let shape = try lab.managed(["help"] + words + ["--json"])
        #expect(shape.code == 0 && shape.output.hasPrefix("JSON") && !result.output.contains(shape.output), "\(shape)")
    }
}
