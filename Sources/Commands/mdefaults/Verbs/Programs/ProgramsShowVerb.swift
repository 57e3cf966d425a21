import MDCare
import MDEngine
import MDPlatform
import MDPolicyModel
import MDPrograms
import MDPropertyList

/// `programs show`: a program's files as they would be written.
enum ProgramsShowVerb: Verb {
    static let name = ["programs", "show"]
    static var accepts: GlobalOptions.Kinds { .question }
    static let summary = "show the files that policy becomes for a program"
    static let usage = ["programs show PROGRAM [--json]"]
    static let help = """
        The files that policy becomes for a program, as they would be written: for everybody or, with --user, for that
        user; a compiled database as the text that it stands for. What others have in a file that is shared with them is
        in it. What the program cannot carry out is said on standard error, each with the policy's line.

        JSON: [{"path","content"}]

        exit codes: 0 shown; 1 there are none; 2 wrong command line; 4 could not read.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let word = try arguments.next("a program")
        try arguments.requireEnd()
        guard let program = ProgramCatalog.program(named: word) else {
            let names = ProgramCatalog.all.map(\.name).joined(separator: ", ")
            throw .usage("There is no program \(Printable.escape(word)). There are: \(names).", of: self)
        }
        try context.requireKnownPolicy()
        let machine = try context.machine()
        let users = context.options.user == nil ? [] : [try context.account()]
        let plan = MachinePrograms(machine: machine).plan(for: users)
        let parts = plan.parts.filter { $0.program.name == program.name }
        let part = parts.last { users.isEmpty == ($0.audiences == [.everybody]) } ?? parts.first
        for finding in plan.findings where finding.program == program.name {
            context.console.say(ProgramsText.sentence(finding, in: machine.root))
        }
        if let obstacle = part?.obstacle { context.console.say("\(obstacle.clause(about: program)).") }
        let writer: ProgramWriter
        do {
            writer = try ProgramWriter(root: machine.root, isDryRun: true)
        } catch {
            throw Failure(
                code: .inputOutput, message: "What was written into programs' files is unknown: \(error.description).")
        }
        let files = (part?.rendering.files ?? []).compactMap { (file: ProgramFile) -> (path: String, bytes: [UInt8])? in
            guard let bytes = writer.content(of: file) else { return nil }
            let text = GSettings.text(of: bytes).map { Array($0.utf8) }
            return (path: machine.root.display(file.path), bytes: text ?? bytes)
        }
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.beginArray()
            for file in files {
                json.beginObject()
                json.field("path", file.path)
                json.field("content", String(decoding: file.bytes, as: UTF8.self))
                json.endObject()
            }
            json.endArray()
            try context.print(json)
        } else {
            for (index, file) in files.enumerated() {
                if index > 0 { try context.console.line() }
                try context.console.line("# \(Printable.escape(file.path))")
                try context.console.write(file.bytes)
            }
            if files.isEmpty {
                let others = users.isEmpty ? ProgramsText.users(of: [program], in: machine) : []
                context.console.say(ProgramsText.nothing(that: program.title, reads: users.first, butFor: others))
            }
        }
        return files.isEmpty ? .no : .success
    }
}
