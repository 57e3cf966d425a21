import Foundation
import MDTestSupport
import Testing

/// Every `console` block of the documents prints what it shows, on a machine that `mdefaults demo` makes.
///
/// The blocks of one document run in order on one machine: `/tmp/lab` in the document, another folder here, as for `/tmp/school`.
struct ConsoleBlockTests {
    /// The text before each command: a reader's `mdefaults` is the built one, and root is not needed.
    private static let prelude = """
        mdefaults() { "$MDEFAULTS" "$@"; }
        sudo() { "$@"; }
        exec 2>&1

        """
    /// The verbs that need no machine.
    private static let verbsWithoutMachine = ["demo ", "fleet demo ", "policy new ", "policy lint ", "audit verify "]
    /// The other programs that may be run.
    private static let programs = ["mdefaults", "sudo", "ls", "sed", "echo", "mkdir", "cp"]

    /// The documents that show commands.
    private static func documents() throws -> [DocumentPage] {
        try DocumentPage.all().filter { $0.lines.contains("```console") }
    }

    @Test func `README and the pages for administrators and auditors show commands`() throws {
        let names = try Self.documents().map { $0.path.split(separator: "/").last ?? "" }
        for name in ["README.md", "FirstHour.md", "WritingPolicy.md", "ReadingTheReport.md", "VerifyingTheLog.md"] {
            #expect(names.contains(Substring(name)))
        }
    }

    @Test(arguments: try documents())
    func `commands print what the document shows`(_ document: DocumentPage) throws {
        let folder = try TemporaryFolder(named: "reader")
        let (machine, school) = ("\(folder.path)/machine", "\(folder.path)/school")
        let setup = """
            mkdir Examples && cp -r "\(Lab.repository)/Examples/exam-room" Examples && chmod -R go-w Examples
            mdefaults demo \(machine)
            """
        #expect(try Self.run(setup, in: folder.path).contains("A machine of a school"))
        for step in ConsolePage(document).steps {
            switch step {
            case .file(let name, let content): try folder.write("/\(name)", content)
            case .skipped(let line, let reason): print("skipped: \(document.path):\(line): \(reason)")
            case .malformed(let line): document.fail(line, "The block does not begin with a command.")
            case .command(let line, let command, _)
            where command.contains("/tmp/school") && !FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"):
                print("skipped: \(document.path):\(line): openssl is not installed")
            case .command(let line, let command, let shown):
                guard Self.staysInFolder(command) else {
                    document.fail(line, "\(command) is not for a machine in a folder: --root is missing.")
                    continue
                }
                let own = command.replacingOccurrences(of: "/tmp/lab", with: machine)
                    .replacingOccurrences(of: "/tmp/school", with: school)
                let output = try Self.run(own, in: folder.path).replacingOccurrences(of: machine, with: "/tmp/lab")
                    .replacingOccurrences(of: school, with: "/tmp/school")
                guard let shown, !ConsolePage.matches(output, shown) else { continue }
                document.fail(line, "\(command) prints:\n\(output)and not:\n\(shown)")
            }
        }
    }

    @Test(arguments: [
        ("a b\n c\n", "a b c", true), ("a b", "a", false), ("a 12 c", "a … c", true), ("a\nb\nc\nd", "a\n…\nd", true),
        ("a b", "b …", false), ("a b", "a … c", false), ("x", "…", true), ("a", "a … a", false),
    ])
    func `an ellipsis stands for any text`(_ output: String, _ shown: String, _ isEqual: Bool) {
        #expect(ConsolePage.matches(output, shown) == isEqual)
    }

    /// Whether a command changes nothing outside of the folder.
    private static func staysInFolder(_ command: String) -> Bool {
        let program = command.split(separator: " ").first.map(String.init) ?? ""
        guard programs.contains(program) else { return false }
        return command.components(separatedBy: "mdefaults ").dropFirst().allSatisfy { rest in
            rest.hasPrefix("--root ") || verbsWithoutMachine.contains { rest.hasPrefix($0) }
        }
    }

    /// Runs a command in a shell.
    ///
    /// - Returns: what it prints, on both streams.
    private static func run(_ command: String, in folder: String) throws -> String {
        try SpawnedProgram.run(
            "/bin/sh", ["-c", prelude + command],
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MDEFAULTS": MDefaultsProcess.path],
            folder: folder
        ).output
    }
}
