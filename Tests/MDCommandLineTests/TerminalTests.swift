import Foundation
import MDTestSupport
import Testing

/// The differences between output to a terminal and to a file or program.
@Suite(.enabled(if: Tool.isAvailable("script"), "script is not installed"))
struct TerminalTests {
    /// Runs a command line on a terminal of some columns.
    private func onTerminal(
        _ words: String, columns: Int, in lab: Lab, noColor: String = "1", typing answer: String = ""
    ) throws -> [String] {
        let user = Lab.option(ofUser: "bob", for: words.components(separatedBy: " ")).joined(separator: " ")
        let command = "stty cols \(columns); \"$MDEFAULTS\" --root lab \(user) \(words)"
        let run = try SpawnedProgram.run(
            try #require(Tool.path("script")), ["-qec", command, "/dev/null"],
            environment: [
                "PATH": "/usr/bin:/bin", "MDEFAULTS": MDefaultsProcess.path, "SHELL": "/bin/sh", "TERM": "xterm",
                "NO_COLOR": noColor,
            ],
            folder: lab.folder, input: answer)
        return run.output.replacingOccurrences(of: "\r\n", with: "\n").components(separatedBy: "\n")
    }

    @Test func `a rollback asks, and nothing but yes goes on`() throws {
        let lab = try Lab()
        try lab.apply()
        let file = lab.path + "/etc/managed-defaults/policies.d/45-cad.plist"
        try FileManager.default.removeItem(atPath: file)
        try lab.apply()
        for answer in ["n", "", "y"] {
            let text = try onTerminal(
                "policy rollback", columns: 200, in: lab, typing: "\(answer)\n"
            ).joined(separator: "\n")
            #expect(text.contains("+ org.example.CAD LicenceServer"), "\(text)")
            #expect(text.contains("[y/N]") && text.contains("Nothing was changed.") == (answer != "y"), "\(text)")
            #expect(FileManager.default.fileExists(atPath: file) == (answer == "y"))
        }
    }

    @Test func `colour is on a terminal alone, and where it is asked for`() throws {
        let lab = try Lab()
        let words = "explain org.example.Browser HomePage"
        #expect(try onTerminal(words, columns: 80, in: lab, noColor: "").joined().contains("\u{1b}[1m  wins"))
        #expect(try !onTerminal(words, columns: 80, in: lab).joined().contains("\u{1b}["))
        #expect(
            try !onTerminal("--color never \(words)", columns: 80, in: lab, noColor: "").joined().contains("\u{1b}["))
        #expect(
            try !lab.managed("--user", "bob", "explain", "org.example.Browser", "HomePage").output.contains("\u{1b}["))
        let asked = try lab.managed("--color", "always", "policy", "diff", "lab/etc/managed-defaults/policies.d", "lab")
        #expect(asked.output.contains("\u{1b}["), "\(asked)")
        #expect(try lab.managed("--color", "sometimes", "doctor").code == 2)
    }

    @Test func `a string's control characters are escaped on a terminal alone`() throws {
        let lab = try Lab()
        let text = "a\u{1b}[31mb\u{202e}c\nsecond"
        #expect(try lab.run(as: "bob", ["write", "org.example.New", "k", text]).code == 0)
        #expect(try lab.run(as: "bob", ["read", "org.example.New", "k"]).output == text + "\n")
        let lines = try onTerminal("read org.example.New k", columns: 80, in: lab)
        #expect(lines == ["a\\u{1b}[31mb\\u{202e}c", "second", ""])
    }

    @Test func `documents for programs show no hidden character on a terminal`() throws {
        let lab = try Lab()
        #expect(try lab.run(as: "bob", ["write", "org.example.New", "k", "a\u{202e}b\u{9b}c\u{e0041}"]).code == 0)
        let json = try onTerminal("read org.example.New --json", columns: 80, in: lab)
        #expect(json.contains("  \"k\": \"a\\u202eb\\u009bc\\udb40\\udc41\""))
        let xml = try onTerminal("export org.example.New -", columns: 80, in: lab)
        #expect(xml.contains("\t<string>a&#x202e;b&#x9b;c&#xe0041;</string>"))
        #expect(try lab.run(as: "bob", ["export", "org.example.New", "-"]).output.contains("a\u{202e}b"))
    }

    @Test(arguments: ["explain org.example.Browser HomePage", "policy list", "audit verify", "audit list", "doctor"])
    func `lines fit a terminal, and stay in one line for programs`(_ words: String) throws {
        let lab = try Lab()
        try lab.recordAttempts()
        let list = words.components(separatedBy: " ")
        let plain = try lab.managed(Lab.option(ofUser: "bob", for: list) + list).output
        let narrow = try onTerminal(words, columns: 60, in: lab)
        let wide = try onTerminal(words, columns: 200, in: lab)
        #expect(plain.components(separatedBy: "\n").count <= wide.count)
        #expect(wide.count <= narrow.count)
        // What is longer has no blank at which it could be broken.
        for line in narrow where line.count > 60 {
            let isTable = words == "policy list" || words.hasPrefix("explain")
            #expect(isTable || line.drop { $0 == " " }.split(separator: " ").count <= 2, "\(line)")
        }
        let whole = Self.words(plain.components(separatedBy: "\n"))
        #expect(Self.words(wide) == whole)
        // A table that is too wide for the terminal cuts its cells.
        if words != "policy list" { #expect(Self.words(narrow) == whole) }
    }

    @Test func `a table cuts its widest cells at 80 columns, and has all of them at 200`() throws {
        let lab = try Lab()
        let identifier = "edu.example.school.a-very-long-name-of-a-policy-that-nobody-will-ever-want-to-read"
        try lab.add(policy: "90-a-long-name-of-a-file.json", #"{"Identifier": "\#(identifier)", "Forced": {}}"#)
        let narrow = try onTerminal("policy list", columns: 80, in: lab)
        let row = try #require(narrow.first { $0.hasPrefix("90-a-long") })
        #expect(row.contains("…") && row.count <= 80, "\(row)")
        // What fits stays whole where another row is cut.
        #expect(narrow.contains { $0.hasPrefix("10-site.json ") && $0.contains(" edu.example.school.site ") })
        let wide = try onTerminal("policy list", columns: 200, in: lab)
        #expect(wide.contains { $0.hasPrefix("90-a-long-name-of-a-file.json ") && $0.contains(" \(identifier) ") })
    }

    @Test(arguments: [
        "forced", "policy show", "policy history", "policy lint", "policy exam list", "policy grant list",
        "programs list", "programs status", "audit scan", "explain org.example.Browser HomePage --all",
    ])
    func `an answer fits 80 columns`(_ words: String) throws {
        let lab = try Lab()
        try lab.recordAttempts()
        #expect(try lab.managed("policy", "apply").code <= 1)
        let list = words.components(separatedBy: " ")
        let plain = try lab.managed(Lab.option(ofUser: "bob", for: list) + list)
        let lines = try onTerminal(words, columns: 80, in: lab)
        #expect(plain.code <= 1 && lines.contains { !$0.isEmpty })
        // A value or a path has no blank at which it could be broken.
        for line in lines where line.count > 80 {
            #expect(line.drop { $0 == " " }.split(separator: " ").count <= 2, "\(line)")
        }
    }

    @Test func `a message on standard error is broken between words`() throws {
        let lab = try Lab()
        let words = ["--verbose", "write", "org.example.Browser", "HomePage", "x"]
        let lines = try onTerminal(words.joined(separator: " "), columns: 60, in: lab)
        #expect(lines.count > 2 && lines.first?.hasPrefix("mdefaults: ") ?? false, "\(lines)")
        // There is a message about the write, and one about its record.
        for line in lines.dropFirst() where !line.isEmpty {
            #expect(line.hasPrefix("    ") || line.hasPrefix("mdefaults: The attempt is record "))
        }
        // A path has no blank at which it could be broken.
        for line in lines where line.count > 60 { #expect(line.split(separator: " ").count == 1, "\(line)") }
        let plain = try lab.managed(["--user", "bob"] + words).error.replacing(" record 2 ", with: " record 1 ")
        #expect(Self.words(lines) == Self.words(plain.components(separatedBy: "\n")))
    }

    @Test func `long lists of names are cut on a terminal alone`() throws {
        let lab = try Lab()
        let users = (1...40).map { "user\($0)" }
        let list = "[\"" + users.joined(separator: "\", \"") + "\"]"
        try lab.add(
            policy: "60-many.json",
            #"{"Identifier":"edu.example.many","Target":{"Users":\#(list)},"Forced":{"org.example.X":{"k":1}}}"#)
        let shown = try onTerminal("policy list", columns: 100, in: lab).joined(separator: " ")
        #expect(Self.words([shown]).joined(separator: " ").contains("user7, user8 and 32 more; this is bob"))
        #expect(!shown.contains("user9"))
        for words in [["policy", "list"], ["--json", "policy", "list"]] {
            let plain = try lab.managed(["--user", "bob"] + words).output
            #expect(plain.contains("user39, user40; this is bob"))
        }
        #expect(try onTerminal("policy list --json", columns: 100, in: lab).joined().contains("user40; this is bob"))
    }

    @Test(arguments: ["help", "help write", "help explain"])
    func `help fits a terminal of 80 columns`(_ words: String) throws {
        let lab = try Lab()
        let lines = try onTerminal(words, columns: 80, in: lab)
        for line in lines where line.count > 80 { #expect(!line.contains(" "), "\(line)") }
        let plain = try lab.managed(words.components(separatedBy: " ")).output
        #expect(Self.words(lines) == Self.words(plain.components(separatedBy: "\n")))
    }

    /// The words of some lines, in order, wherever they were broken.
    private static func words(_ lines: [String]) -> [String] {
        lines.flatMap { $0.components(separatedBy: " ") }.filter { !$0.isEmpty }
    }
}
