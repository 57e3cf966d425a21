import Foundation
import MDTestSupport
import Testing

/// What shells offer while a command line is typed.
struct CompletionTests {
    /// A copy of the classroom machine.
    private static func lab() throws -> TemporaryMachine {
        try TemporaryMachine(
            copying: BuiltProgram.repository.appendingPathComponent("Examples/lab"), in: .init(named: "lab"))
    }

    /// The words that are offered, and ":" where files are possible.
    private static func offers(_ words: [String], in folder: String) throws -> [String] {
        let result = try SpawnedProgram.run(
            BuiltProgram.path("mdefaults"), ["completions", "--words"] + words,
            environment: ["PATH": "/usr/bin:/bin"], folder: folder)
        #expect(result.code == 0)
        #expect(result.error.isEmpty, "\(words): \(result.error)")
        return result.output.split(separator: "\n").map { $0.split(separator: "\t")[0] }.map(String.init)
    }

    /// Words behind `--root lab`, and what is offered for the last one.
    private static let cases: [(words: [String], offers: [String])] = [
        (["read-"], ["read-type"]),
        (["policy", "li"], ["lint", "list"]),
        (["--us"], ["--user"]),
        (["--user", "da"], []),
        (["--user", "a"], ["alice"]),
        (["--user=do"], ["--user=dora"]),
        (["forced", "org.example.D"], ["org.example.Desktop", "org.example.Display"]),
        (
            ["--user", "alice", "forced", "org.example.Browser", "S"],
            ["SafeSearch", "SearchEngine", "ShowBookmarksBar"]
        ),
        (["rename", "org.example.Browser", "Ho"], ["HomePage"]),
        (["policy", "exam", "st"], ["start", "stop"]),
        (["policy", "exam", "start", ""], ["maths", "physics"]),
        (["policy", "grant", "--for", "1h", "--user", "bob", "org.example.Pl"], ["org.example.Player"]),
        (["policy", "grant", "revoke", "--user", "w"], ["weber"]),
        (["report", "--format", "c"], ["csv"]),
        (["report", "--fo"], ["--format"]),
        (["audit", "list", "--kind", "o"], ["override"]),
        (["audit", "list", "--domain", "org.example.Br"], ["org.example.Browser"]),
        (["write", "org.example.Player", "Volume", "-in"], ["-int"]),
        (["policy", "lint", ""], [":"]),
        (["import", "org.example.Player", ""], [":"]),
        (["programs", "show", "chromi"], ["chromium", "chromium-snap", "chromium-flatpak"]),
        (["completions", ""], ["bash", "zsh", "fish"]),
        (["forced", "--", "--"], []),
        (["nonsense", ""], []),
        (["--root", "nowhere", "forced", ""], []),
    ]

    @Test(arguments: cases) func `words are offered where they can stand`(
        _ example: (words: [String], offers: [String])
    ) throws {
        let lab = try CompletionTests.lab()
        try lab.write("etc/managed-defaults/sets.d/maths/10-exam.json", "{}\n")
        let front = example.words.first == "--root" ? [] : ["--root", "lab"]
        #expect(try CompletionTests.offers(front + example.words, in: lab.folder) == example.offers)
    }

    @Test func `every verb and every option of a usage line is offered`() throws {
        let lab = try CompletionTests.lab()
        let help = try SpawnedProgram.run(BuiltProgram.path("mdefaults"), ["help", "--json"], environment: [:])
        let verbs = try #require(try JSONSerialization.jsonObject(with: Data(help.output.utf8)) as? [[String: Any]])
        #expect(verbs.count > 40)
        for verb in verbs {
            let words = (verb["verb"] as? String ?? "").split(separator: " ").map(String.init)
            #expect(
                try CompletionTests.offers(words.dropLast() + [String(words.last ?? "")], in: lab.folder)
                    .contains(words.last ?? ""))
            let usage = (verb["usage"] as? [String] ?? []).joined(separator: " ")
            let named = Set(usage.split { " []|…".contains($0) }.map(String.init).filter { $0.hasPrefix("--") })
            let offered = try CompletionTests.offers(words + ["--"], in: lab.folder)
            // `version` is also written `--version`, in the place of a verb.
            #expect(named.subtracting(offered).subtracting(["--version"]).isEmpty, "\(words): \(named) \(offered)")
        }
    }

    @Test func `a shell has no word that is a command`() throws {
        let lab = try CompletionTests.lab()
        let name = "org.example.$(touch pwned)"
        try lab.write(
            "home/alice/.config/\(name).plist", "<plist version=\"1.0\"><dict><key>a b;c</key><true/></dict></plist>")
        try lab.write("home/alice/.config/org.example.\u{1b}[2J.plist", "<plist version=\"1.0\"><dict/></plist>")
        let lines = [
            "mdefaults --root lab --user alice read org.example.$", "mdefaults --root lab --user alice read org.",
        ]
        for shell in CompletionTests.shells where BuiltProgram.installed(shell) != nil {
            let answers = try CompletionTests.complete(lines, by: shell, in: lab.folder)
            #expect(!answers[1].contains("\u{1b}"), "\(shell)")
            // Bash gets it quoted; the others quote what they insert.
            if shell == "bash" { #expect(answers[0] == "org.example.\\$\\(touch\\ pwned\\)|") }
            #expect(!FileManager.default.fileExists(atPath: lab.folder + "/pwned"), "\(shell)")
        }
    }

    /// The shells that there are scripts for.
    private static let shells = ["bash", "zsh", "fish"]

    /// What a shell makes of lines: of bash and fish what they offer, of zsh the line that it completed.
    private static func complete(_ lines: [String], by shell: String, in folder: String) throws -> [String] {
        let script = try SpawnedProgram.run(BuiltProgram.path("mdefaults"), ["completions", shell], environment: [:])
        let file = "\(folder)/completions.\(shell)"
        try Data(script.output.utf8).write(to: URL(fileURLWithPath: file))
        let program = try #require(BuiltProgram.installed(shell))
        let driver = BuiltProgram.repository.path + "/Tests/MDPackagingTests/Shells/complete.\(shell)"
        let plain = ["bash": "--norc", "zsh": "-f", "fish": "--no-config"][shell] ?? ""
        let built = (BuiltProgram.path("mdefaults") as NSString).deletingLastPathComponent
        let result = try SpawnedProgram.run(
            program, [plain, driver, file] + lines,
            environment: [
                "PATH": "\(built):/usr/bin:/bin", "HOME": folder, "TERM": "dumb", "LC_ALL": "C.UTF-8",
                "XDG_DATA_HOME": folder,
            ],
            folder: folder, within: 60)
        #expect(result.code == 0, "\(shell): \(result.error)")
        return result.output.components(separatedBy: "\n")
    }

    /// Lines, what bash and fish offer behind each, and what zsh makes of it.
    private static let lines: [(line: String, offer: String, completed: String)] = [
        ("mdefaults policy lin", "lint", "mdefaults policy lint "),
        ("mdefaults --root lab --user ali", "alice", "mdefaults --root lab --user alice "),
        (
            "mdefaults --root lab forced org.example.Bro", "org.example.Browser",
            "mdefaults --root lab forced org.example.Browser "
        ),
        (
            "mdefaults --root lab forced org.example.Browser Home", "HomePage",
            "mdefaults --root lab forced org.example.Browser HomePage "
        ),
        ("mdefaults --root lab policy exam start ma", "maths", "mdefaults --root lab policy exam start maths "),
        ("mdefaults policy lint lab/etc/host", "lab/etc/hostname", "mdefaults policy lint lab/etc/hostname "),
        ("mdefaults report --fo", "--format", "mdefaults report --format "),
    ]

    @Test(arguments: shells.filter { BuiltProgram.installed($0) != nil })
    func `the shell itself completes`(_ shell: String) throws {
        let lab = try CompletionTests.lab()
        try lab.write("etc/managed-defaults/sets.d/maths/10-exam.json", "{}\n")
        let answers = try CompletionTests.complete(CompletionTests.lines.map(\.line), by: shell, in: lab.folder)
        let expected = CompletionTests.lines.map { shell == "zsh" ? $0.completed : $0.offer + "|" }
        #expect(Array(answers.prefix(expected.count)) == expected)
    }

    @Test func `a shell that there is no script for is refused`() throws {
        let result = try SpawnedProgram.run(BuiltProgram.path("mdefaults"), ["completions", "tcsh"], environment: [:])
        #expect(result.code == 2)
        #expect(result.error.hasPrefix("mdefaults: There are no completions for tcsh; there are for bash, zsh, fish."))
    }
}
