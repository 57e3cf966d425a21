import Foundation
import MDTestSupport
import Testing

/// The interface for other languages: the shared library, used by C, a shell script, GNUstep, and an example in Python.
struct InterfaceTests {
    /// The repository.
    private static let repository = BuiltProgram.repository.path

    /// A machine with one pupil, policy for `org.example.C`, and a further policy file beside it.
    private static func machine() throws -> TemporaryMachine {
        let machine = try TemporaryMachine(.pupil)
        try machine.policy(
            "10.json",
            """
            {
              "Identifier": "test.c", "Description": "Why", "Contact": "room 1",
              "Forced": { "org.example.C": {
                "Count": 42, "Off": false, "Page": "${user}'s ö!", "Half": 0.5, "Day": {"$date": "2026-11-20T08:00:00Z"},
                "Bytes": {"$data": "AAEC"}, "List": [1, {"a": true}], "Table": {"$dict": {"$date": "no form"}} } },
              "Absent": { "org.example.C": ["Gone"] },
              "Constraints": { "org.example.C": { "Volume": { "Maximum": 70 }, "Skin": { "OneOf": ["plain", "dark"] } } }
            }
            """)
        try machine.policy(
            "11.json",
            """
            { "Identifier": "test.shadow", "OnOverride": "shadow", "Forced": {
              "org.example.C": { "Shadow": "theirs" }, "org.example.Suite": { "InSuite": 5 } } }
            """)
        // So that it is known since when the files are there.
        let applied = try machine.mdefaults(["policy", "apply"])
        #expect(applied.code == 0, "\(applied)")
        try machine.write(
            "20.json", "{ \"Identifier\": \"test.later\", \"Forced\": { \"org.example.C\": { \"Watched\": 3 } } }")
        return machine
    }

    /// A folder with the library under the name that programs look for.
    private static func library(in folder: String) throws -> String {
        let built = BuiltProgram.path("libmanaged-defaults.so")
        let name = folder + "/libmanaged-defaults.so.1"
        try FileManager.default.createSymbolicLink(atPath: name, withDestinationPath: built)
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/libmanaged-defaults.so", withDestinationPath: built)
        return name
    }

    /// The environment of programs that use the library of a folder.
    private static func environment(_ folder: String) -> [String: String] {
        [
            "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "LD_LIBRARY_PATH": folder, "HOME": folder,
            // A toolchain in another place than that of the build is found by this variable alone.
            "SWIFT_BACKTRACE": "enable=no",
        ]
    }

    /// Compiles a C program against the header and the library of a folder.
    private static func compile(_ source: String, in folder: String) throws -> String {
        let compiler = try #require(BuiltProgram.installed("cc"))
        let program = folder + "/program"
        let result = try SpawnedProgram.run(
            compiler,
            [
                "-std=c11", "-Wall", "-Wextra", "-Werror", "-g", "-o", program, "\(repository)/\(source)", "-I",
                "\(repository)/Sources/Defaults/MDCInterface/include", "-L", folder, "-lmanaged-defaults", "-pthread",
            ], environment: environment(folder))
        #expect(result.code == 0, "\(result.error)")
        return program
    }

    @Test(.enabled(if: BuiltProgram.installed("nm") != nil, "nm is not installed"))
    func `the library exports the functions of its header and nothing else`() throws {
        let nm = try #require(BuiltProgram.installed("nm"))
        let table = try SpawnedProgram.run(
            nm, ["-D", "--defined-only", "--extern-only", BuiltProgram.path("libmanaged-defaults.so")])
        let exported = Set(
            table.output.split(separator: "\n").compactMap { line -> String? in
                let fields = line.split(separator: " ")
                return fields.count > 2 && fields[1] == "T" ? String(fields[2].prefix { $0 != "@" }) : nil
            })
        let header = try String(
            contentsOfFile: InterfaceTests.repository + "/Sources/Defaults/MDCInterface/include/managed-defaults.h",
            encoding: .utf8)
        let declared = Set(
            header.split(separator: "\n").filter { !$0.hasPrefix("//") }.compactMap { line -> String? in
                guard let bracket = line.firstIndex(of: "(") else { return nil }
                let name = line[..<bracket].split { " *".contains($0) }.last.map(String.init)
                return name?.hasPrefix("mdefaults_") == true ? name : nil
            })
        #expect(exported == declared)
        // The list says what programs may have been linked with: a name is added to it, and none is ever taken away.
        let kept = try String(
            contentsOfFile: InterfaceTests.repository + "/Sources/Defaults/MDInterface/symbols", encoding: .utf8)
        #expect(kept == exported.sorted().map { $0 + "\n" }.joined())
        let constants = try String(
            contentsOfFile: InterfaceTests.repository + "/Sources/Defaults/MDCInterface/MDCInterface.c", encoding: .utf8
        )
        let version = try SpawnedProgram.run(BuiltProgram.path("mdefaults"), ["--version"]).output
        #expect(constants.contains("\"\(version.split { $0.isWhitespace }.last ?? "")\""), "\(version)")
        #expect(table.output.split(separator: "\n").count == exported.count + 1, "one version besides")
    }

    @Test(.enabled(if: BuiltProgram.installed("cc") != nil, "no C compiler is installed"))
    func `C gets every answer, and nothing that it gives is followed blindly`() throws {
        let machine = try InterfaceTests.machine()
        _ = try InterfaceTests.library(in: machine.folder)
        let program = try InterfaceTests.compile("Tests/MDPackagingTests/Interface/interface.c", in: machine.folder)
        let result = try SpawnedProgram.run(
            program, [machine.path, machine("20.json")], environment: InterfaceTests.environment(machine.folder))
        #expect(result.output == "0 failures\n")
        #expect(result.code == 0, "\(result.error)")
        let attempts = try machine.mdefaults(["audit", "list", "--json"])
        #expect(attempts.output.contains("\"Count\""))
    }

    @Test(.enabled(if: BuiltProgram.installed("cc") != nil && BuiltProgram.installed("valgrind") != nil, "no valgrind"))
    func `nothing leaks and nothing is read or written beside what was given`() throws {
        let machine = try InterfaceTests.machine()
        let library = try InterfaceTests.library(in: machine.folder)
        // Valgrind does not read the debug information of Swift.
        try FileManager.default.removeItem(atPath: library)
        let strip = try #require(BuiltProgram.installed("strip"))
        _ = try SpawnedProgram.run(
            strip, ["--strip-debug", "-o", library, BuiltProgram.path("libmanaged-defaults.so")])
        let program = try InterfaceTests.compile("Tests/MDPackagingTests/Interface/interface.c", in: machine.folder)
        let valgrind = try #require(BuiltProgram.installed("valgrind"))
        let result = try SpawnedProgram.run(
            valgrind,
            [
                "--quiet", "--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite",
                "--error-exitcode=99",
                "--suppressions=\(InterfaceTests.repository)/Tests/MDPackagingTests/Interface/valgrind.supp", program,
                machine.path, machine("20.json"), "short",
            ], environment: InterfaceTests.environment(machine.folder))
        #expect(result.code == 0, "\(result.output)\n\(result.error)")
    }

    @Test(.enabled(if: BuiltProgram.installed("cc") != nil, "no C compiler is installed"))
    func `the example in C shows, stores and watches`() throws {
        try InterfaceTests.zoom { [try InterfaceTests.compile("Examples/c/zoom.c", in: $0.folder)] }
    }

    @Test(.enabled(if: BuiltProgram.installed("python3") != nil, "python3 is not installed"))
    func `the example in Python shows, stores and watches`() throws {
        let python = try #require(BuiltProgram.installed("python3"))
        try InterfaceTests.zoom { _ in [python, "-W", "error", InterfaceTests.repository + "/Examples/python/zoom.py"] }
    }

    /// Tries a program that has the zoom of a browser as its setting.
    private static func zoom(_ make: (TemporaryMachine) throws -> [String]) throws {
        let machine = try TemporaryMachine(
            copying: BuiltProgram.repository.appendingPathComponent("Examples/lab"), in: .init(named: "lab"))
        _ = try library(in: machine.folder)
        let words = try make(machine) + ["--root", machine.path, "--user", "alice"]
        let environment = environment(machine.folder).merging([
            "PYTHONPATH": repository + "/Sources/Defaults/Python", "PYTHONDONTWRITEBYTECODE": "1",
        ]) { $1 }
        /// Runs the program; its input has ended.
        func run(_ more: String...) throws -> SpawnedProgram.Result {
            try SpawnedProgram.run(words[0], words.dropFirst() + more, environment: environment)
        }
        #expect(try run("set", "2.5").code == 0)
        #expect(try run("get").output == "ZoomLevel = 2.5\n")
        try machine.policy(
            "90-zoom.json",
            "{ \"Identifier\": \"test.zoom\", \"Contact\": \"me\", \"Forced\": { \"org.example.Browser\": { \"ZoomLevel\": 1 } } }"
        )
        let refused = try run("set", "3")
        #expect(refused.code == 3 && refused.error.contains("is set by policy"), "\(refused)")
        let watched = try run("watch")
        #expect(watched.output.hasPrefix("ZoomLevel = 1 (forced)\n  by test.zoom, "), "\(watched)")
        #expect(watched.code == 0)
    }

    @Test func `the example for shells tells a forced value from a stored one`() throws {
        let machine = try TemporaryMachine(
            copying: BuiltProgram.repository.appendingPathComponent("Examples/lab"), in: .init(named: "lab"))
        let script = InterfaceTests.repository + "/Examples/shell/editor"
        let environment = [
            "PATH": "/usr/bin:/bin",
            "MDEFAULTS": "\(BuiltProgram.path("mdefaults")) --root \(machine.path) --user alice",
        ]
        #expect(try SpawnedProgram.run(script, ["--choose", "cat"], environment: environment).code == 0)
        let opened = try SpawnedProgram.run(script, [machine("etc/hostname")], environment: environment)
        #expect(opened.output == "room1-pc03\n")
        try machine.policy(
            "90-editor.json",
            "{ \"Identifier\": \"test.editor\", \"Forced\": { \"org.example.Editor\": { \"Program\": \"head\" } } }")
        let refused = try SpawnedProgram.run(script, ["--choose", "cat"], environment: environment)
        #expect(refused.code == 3 && refused.output == "The editor is chosen by your administrator: head\n")
    }

    @Test(.enabled(if: BuiltProgram.installed("gnustep-config") != nil, "GNUstep is not installed"))
    func `GNUstep's NSUserDefaults knows what is forced`() throws {
        let machine = try InterfaceTests.machine()
        _ = try InterfaceTests.library(in: machine.folder)
        let sources = InterfaceTests.repository + "/Examples/gnustep"
        let program = machine.folder + "/forced"
        let script = """
            set -e
            cc $(gnustep-config --objc-flags) -o "$1" "$2/forced.m" "$2/NSUserDefaults+Forced.m" -I "$3" -L "$4" \\
                -lmanaged-defaults $(gnustep-config --base-libs)
            """
        let built = try SpawnedProgram.run(
            "/bin/sh",
            [
                "-c", script, "sh", program, sources,
                InterfaceTests.repository + "/Sources/Defaults/MDCInterface/include",
                machine.folder,
            ], environment: InterfaceTests.environment(machine.folder), folder: machine.folder)
        #expect(built.code == 0, "\(built.error)")
        var environment = InterfaceTests.environment(machine.folder)
        environment["MANAGED_DEFAULTS_EXAMPLE_ROOT"] = machine.path
        environment["MANAGED_DEFAULTS_EXAMPLE_USER"] = "pupil"
        let forced = try SpawnedProgram.run(program, ["org.example.C", "Count"], environment: environment)
        #expect(forced.output == "forced\n", "\(forced.error)")
        let free = try SpawnedProgram.run(program, ["org.example.C", "Nothing"], environment: environment)
        #expect(free.output == "not forced\n", "\(free.error)")
    }
}
