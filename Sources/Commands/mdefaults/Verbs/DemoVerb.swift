import MDPlatform
import MDPolicyAdministration
import MDPolicyStore

/// `demo`: a machine in a folder, to try everything on.
enum DemoVerb: Verb {
    static let name = ["demo"]
    static var accepts: GlobalOptions.Kinds { [] }
    static let summary = "make a lab machine in a folder, to try everything on"
    static let usage = ["demo FOLDER"]
    static let help = """
        Makes FOLDER, a copy of the machine of a school that is in the examples: users and groups, policy for lessons, a
        room and an exam, what pupils have stored, and an audit log. With --root FOLDER every command works there as on a
        machine, and nothing outside of it is read or written. Remove the folder when you are done.

        exit codes: 0 made; 2 wrong command line; 4 FOLDER is there already, or could not be written.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let word = try arguments.next("a folder")
        try arguments.requireEnd()
        do throws(SystemError) {
            let path = try CallerPath.absolute(word)
            if Root.system.mayExist(path) {
                throw SystemError(operation: "make", path: word, code: 17, reason: "it is there already")
            }
            try Root.system.createDirectory(path, mode: 0o755)
            let root = try Root(directory: path)
            try write(to: root)
            // A compiled table holds for these files only, so the example has none.
            _ = PolicyStore(root: root).apply { _ in true }
        } catch {
            throw .of(error)
        }
        let shown = Printable.escape(word)
        try context.console.line("A machine of a school is in \(shown). Try:")
        for line in commands { try context.console.line("  mdefaults --root \(shown) \(line)") }
        return .success
    }

    /// What to try first.
    private static let commands = [
        "report", "--user alice forced org.example.Browser", "--user alice explain org.example.Browser HomePage",
        "policy lint",
    ]

    /// Writes files and links.
    private static func write(to root: Root) throws(SystemError) {
        for (name, content) in EmbeddedFiles.lab {
            let path = "/" + name
            try root.createDirectory(CallerPath.split(path).folder, mode: 0o755)
            switch content {
            case .file(let bytes): try root.replace(path, with: bytes, mode: 0o644, durable: false)
            case .link(let target): try root.replaceWithLink(path, to: target)
            }
        }
    }
}
