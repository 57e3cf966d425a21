import Foundation
import MDPropertyList
import MDTestSupport
import Testing

/// GNUstep's `defaults` on the same files, as far as it is correct.
@Suite(.enabled(if: Tool.gnustepDefaults != nil, "GNUstep's defaults is not installed"))
struct GNUstepTests {
    /// Values that both read the same way.
    static let values = [
        "word", "12", "/usr/share/x", "\"a b\"", "(a, b)", "(a, \"b c\", (d, ()))", "{ a = b; }",
        "{ a = { b = (c, d); }; \"e f\" = \"g;h\"; }", "<0102ff>", "( <00>, <> )", "{}", "()",
        "\"\\\"quoted\\\" \\\\\"",
        "\"\\U00e9\"", "(a, b,)", "{ a = b; /* why */ c = d; }",
    ]

    /// Runs GNUstep's program with a folder of its own for files.
    private func gnustep(_ words: [String], in lab: Lab) throws -> SpawnedProgram.Result {
        // It asks the user database for the home, so the way from there to the folder is spelt out.
        let folder = String(repeating: "../", count: 12) + lab.folder
        let settings = lab.folder + "/settings"
        try "GNUSTEP_USER_DEFAULTS_DIR=\(folder)\nGNUSTEP_USER_DIR=\(folder)\n"
            .write(toFile: settings, atomically: true, encoding: .utf8)
        return try SpawnedProgram.run(
            try #require(Tool.gnustepDefaults), words,
            environment: ["GNUSTEP_CONFIG_FILE": settings, "LC_ALL": "C.UTF-8"], folder: lab.folder)
    }

    @Test(arguments: values) func `the same words store the same value`(_ word: String) throws {
        let lab = try Lab()
        #expect(try gnustep(["write", "org.theirs", "K", word], in: lab).code == 0)
        #expect(try lab.run(["write", "./org.ours", "K", word]).code == 0)
        let theirs = try #require(try lab.values(lab.folder + "/org.theirs.plist")?["K"])
        let ours = try #require(try lab.values(lab.folder + "/org.ours.plist")?["K"])
        #expect(ours.exactDescription == theirs.exactDescription)
        // Each reads the other's file.
        #expect(try lab.run(["read", "./org.theirs", "K"]).output == lab.run(["read", "./org.ours", "K"]).output)
        let answer = try gnustep(["read", "org.ours", "K"], in: lab)
        let same = try gnustep(["read", "org.theirs", "K"], in: lab)
        #expect(answer.code == 0)
        #expect(answer.output.replacingOccurrences(of: "org.ours", with: "org.theirs") == same.output)
    }

    @Test func `its own output is read, and writes by turns lose nothing`() throws {
        let lab = try Lab()
        for number in 0..<5 {
            #expect(try gnustep(["write", "org.shared", "theirs\(number)", "(a, \(number))"], in: lab).code == 0)
            #expect(try lab.run(["write", "./org.shared", "ours\(number)", "-array", "a", "\(number)"]).code == 0)
        }
        let values = try #require(try lab.values(lab.folder + "/org.shared.plist"))
        #expect(values.count == 10)
        #expect(values["theirs3"] == values["ours3"])
        #expect(try gnustep(["delete", "org.shared", "ours0"], in: lab).code == 0)
        #expect(try lab.run(["read", "./org.shared", "ours0"]).code == 1)
    }

    @Test func `where it is wrong we are not`() throws {
        let lab = try Lab()
        // A type's flag is stored as the value there.
        #expect(try lab.run(as: "bob", ["write", "org.example.New", "K", "-int", "5"]).code == 0)
        #expect(try lab.run(as: "bob", ["read-type", "org.example.New", "K"]).output == "Type is integer\n")
        // A dictionary alone writes nothing there.
        #expect(try lab.run(as: "bob", ["write", "org.example.New", "{ a = b; }"]).code == 0)
        #expect(try lab.stored("bob", "org.example.New") == ["a": .string("b")])
        // A name with dots leaves the folder there.
        #expect(try lab.run(as: "bob", ["write", "..evil", "K", "v"]).code == 2)
        // A truncated file is overwritten there.
        try "{ a = b; c = ".write(toFile: lab.folder + "/cut.plist", atomically: true, encoding: .utf8)
        #expect(try lab.run(["write", "./cut", "K", "v"]).code == 5)
        #expect(try String(contentsOfFile: lab.folder + "/cut.plist", encoding: .utf8) == "{ a = b; c = ")
    }
}

/// Recorded sessions in which `mdefaults` is used like Apple's `defaults`.
struct TranscriptTests {
    /// The kept sessions.
    static let names = [
        "arrays", "delete", "domains", "find", "forced", "global", "help", "hosts", "import-export", "paths",
        "programs",
        "read", "rename", "types", "usage", "values",
    ]

    @Test(arguments: names) func `answers as in the kept session`(_ name: String) throws {
        let file = "Transcripts/\(name).txt"
        let kept = try String(contentsOfFile: Golden.folder + "/" + file, encoding: .utf8)
        var transcript = Transcript(in: try Lab())
        try Golden.expect(try transcript.play(kept), file)
    }

    @Test func `no kept session is left out`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Golden.folder + "/Transcripts")
        #expect(Set(files) == Set(Self.names.map { $0 + ".txt" }))
    }
}

/// Published scripts for macOS, in which only the name of the command is changed.
struct ScriptTests {
    /// The scripts that need nothing but a shell.
    static let names = [
        "backup", "cleanup", "dock-items", "dotfiles", "hotkeys", "idempotent", "library-paths", "per-host",
        "read-or-default", "rewrite", "snapshot", "table", "toggle", "versions",
    ]

    @Test(arguments: names) func `a script for macOS does what it does there`(_ name: String) throws {
        try run(name)
    }

    @Test(.enabled(if: Tool.isAvailable("python3"), "python3 is not installed"))
    func `Python's property lists read and write what is exported and imported`() throws {
        try run("python")
    }

    @Test(.enabled(if: Tool.plutil != nil, "the toolchain's plutil is not installed"))
    func `plutil reads and converts what is exported`() throws {
        try run("plutil")
    }

    @Test func `no script is left out`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Golden.folder + "/Scripts")
        let names = Self.names + ["python", "plutil"]
        #expect(Set(files) == Set(names.flatMap { ["\($0).sh", "\($0).txt"] }))
    }

    /// Runs a script and compares what it printed with what is kept.
    private func run(_ name: String) throws {
        let script = try String(contentsOfFile: "\(Golden.folder)/Scripts/\(name).sh", encoding: .utf8)
        try Golden.expect(try Transcript(in: try Lab()).answer(to: script), "Scripts/\(name).txt")
    }
}
