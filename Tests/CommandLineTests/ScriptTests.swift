import Foundation
import Testing

/// Scripts as people publish them for macOS, run with nothing but the command's name changed.
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
