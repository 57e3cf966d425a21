import MDPlatform
import MDPrograms
import MDPropertyList

/// `programs list`: the programs that policy is written for.
enum ProgramsListVerb: Verb {
    static let name = ["programs", "list"]
    static let summary = "list the programs that policy is written for"
    static let usage = ["programs list [--json]"]
    static let help = """
        Every program into whose own files policy is written: the word for it, its name, how its policy can differ
        between the users of a machine, if it is installed, and if what is written was tried on the program itself; for
        the others it is what their documents say.

        user       the program reads other files for each user
        instance   it reads one folder, of which each login session can have its own (programs enable)
        session    it follows an environment variable of the session, which users can change
        machine    it reads what is for everybody, whatever a session sees

        A Flatpak or snap that reads files of its own has a row of its own; these are written only where it is installed.

        JSON: [{"program","title","installed":bool,"reach":"user"|"instance"|"session"|"machine","tried":bool}]

        exit codes: 0 listed; 2 wrong command line.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        try arguments.requireEnd()
        let root = try context.root()
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.beginArray()
            for program in ProgramCatalog.all {
                json.beginObject()
                json.field("program", program.name)
                json.field("title", program.title)
                json.field("installed", program.isInstalled(in: root))
                json.field("reach", program.reach.word)
                json.field("tried", program.isTried)
                json.endObject()
            }
            json.endArray()
            try context.print(json)
            return .success
        }
        let rows = ProgramCatalog.all.map { program in
            [
                program.name, program.title, program.reach.word,
                program.isInstalled(in: root) ? "yes" : "no", program.isTried ? "yes" : "no",
            ]
        }
        let head = ["program", "name", "per user", "installed", "tried"]
        for line in Layout.table([head] + rows, cutting: [1]) { try context.console.line(line) }
        return .success
    }
}

extension ProgramReach {
    /// The word that is printed.
    fileprivate var word: String {
        switch self {
        case .user: "user"
        case .instance: "instance"
        case .session: "session"
        case .machine: "machine"
        }
    }
}
