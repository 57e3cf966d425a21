import Foundation
import TestSupport
import Testing

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
            #expect(line.hasPrefix(example.verb.map { "       mdefaults \($0)" } ?? "                 ["))
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

    @Test func `a folder without users names nobody`() throws {
        let lab = try Lab()
        try "".write(toFile: lab.path + "/etc/passwd", atomically: true, encoding: .utf8)
        let result = try lab.run(as: "bob", ["read", "D"])
        #expect(result.code == 2)
        #expect(result.error.contains("has no user bob. It names nobody.\n"))
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
}
