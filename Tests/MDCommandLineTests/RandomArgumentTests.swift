import Foundation
import MDTestSupport
import Testing

/// Random and surplus arguments.
struct RandomArgumentTests {
    /// The exit codes of the command line; those above 5 are `audit verify`'s.
    static let codes: [Int32] = [0, 1, 2, 3, 4, 5, 10, 11, 12, 13]

    /// The verbs that `help` lists, as words.
    static func verbs(_ lab: Lab) throws -> [[String]] {
        try lab.run(["help"]).output.components(separatedBy: "\n")
            .drop { !$0.isEmpty }.dropFirst().prefix { !$0.isEmpty }
            .compactMap { $0.trimmingCharacters(in: .whitespaces).components(separatedBy: "  ").first }
            .map { $0.components(separatedBy: " ") }
    }

    @Test func `every verb refuses words that it has no use for`() throws {
        let lab = try Lab()
        let verbs = try Self.verbs(lab)
        #expect(verbs.count >= 10)
        // These take any number of files or hosts.
        let takers = [
            ["policy", "lint"], ["policy", "convert"], ["policy", "install"], ["audit", "verify"], ["report", "merge"],
            ["fleet", "revoke"],
        ]
        for verb in verbs where !takers.contains(verb) {
            let surplus = (1...9).map { "surplus\($0)" }
            let result = try lab.run(verb + surplus)
            #expect(result.code == 2, "\(verb)")
            #expect(result.output == "", "\(verb)")
            let lines = result.error.components(separatedBy: "\n")
            #expect(lines.first?.hasPrefix("mdefaults: ") == true && lines.first?.hasSuffix(".") == true, "\(lines)")
            let name = verb == ["version"] ? "--version" : verb.joined(separator: " ")
            #expect(lines.contains { $0.contains("mdefaults \(name)") }, "\(lines)")
        }
    }

    @Test(arguments: [
        ["--root"], ["--user"], ["--host"], ["--root", "a", "--root", "b", "domains"],
        ["--user", "a", "--user", "b", "domains"], ["--host", "a", "--host", "b", "domains"], ["--root", ""],
        ["--user", "", "domains"], ["--", "domains"], ["-", "domains"], ["help", "frobnicate"], ["help", "read", "x"],
        ["--version", "x"], ["", ""],
    ])
    func `options without value, twice or out of place are refused`(_ words: [String]) throws {
        let lab = try Lab()
        let result = try MDefaultsProcess(folder: lab.folder).run(words)
        #expect(result.code == 2)
        #expect(result.output == "")
        #expect(result.error.hasPrefix("mdefaults: "))
    }

    /// The words that random command lines are made of: those that mean something, and those that hardly can.
    static let words = [
        "read", "read-type", "write", "delete", "rename", "domains", "import", "export", "forced", "explain", "policy",
        "lint", "list", "show", "audit", "verify", "report", "doctor", "help", "version", "find", "apply",
        "delete-all", "READ", "-app", "-verbose", "<dict>", "<true/>", "~/Library/Preferences/x",
        "/Library/Preferences/x",
        "org.example.Browser", "HomePage", "NSGlobalDomain", "-g", "-globalDomain", "-currentHost", "-host", "-string",
        "-data", "-int", "-float", "-bool", "-date", "-array", "-array-add", "-dict", "-dict-add", "--json", "--format",
        "json", "text", "--since", "--until", "--limit", "--kind", "--user", "alice", "--title", "-o", "/dev/null",
        "--",
        "-", "", "1", "-1", "99999999999999999999999", "1e999", "nan", "yes", "<00ff>", "<0", "{ a = 1; }", "{ a = ",
        "( a, b )", "(((((((", "2026-11-20T08:00:00Z", "9999-99-99", "../../etc/passwd", "/", "a\u{1b}[31m",
        "\u{202e}x",
        "é", "e\u{301}", "%s%n", "~", "*", String(repeating: "x", count: 5000),
    ]

    @Test(arguments: 1...8) func `random words never crash it`(_ seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let lab = try Lab()
        for _ in 0..<25 {
            let count = Int.random(in: 0...7, using: &random)
            let words = (0..<count).compactMap { _ in Self.words.randomElement(using: &random) }
            let result = try lab.run(as: "bob", words, input: Bool.random(using: &random) ? "" : "{ A = 1; }")
            #expect(Self.codes.contains(result.code), "\(words): \(result.code) \(result.error)")
            if result.code >= 2, result.code <= 5 {
                // No word but options: what there is, on standard output.
                let isHelp = result.code == 2 && result.output.hasPrefix("usage: mdefaults ") && result.error.isEmpty
                #expect(isHelp || result.error.hasPrefix("mdefaults: "), "\(words): \(result.error)")
            }
            #expect(!result.error.unicodeScalars.contains("\u{1b}"), "\(words)")
            #expect(!result.error.unicodeScalars.contains("\u{202e}"), "\(words)")
        }
    }
}
