import MDPlatform

/// `programs disable`: takes back what `programs enable` did.
enum ProgramsDisableVerb: Verb {
    static let name = ["programs", "disable"]
    static var accepts: GlobalOptions.Kinds { [.root] }
    static let summary = "take back what programs enable did"
    static let usage = ["programs disable"]
    static let help = """
        New login sessions see the machine's policy again: PAM's lines, the configuration of pam_namespace and all
        instances go. Sessions that run keep an empty instance until they end, and with it no policy of the programs
        concerned: end them first.

        Only root may do this.

        exit codes: 0 disabled; 2 wrong command line; 4 could not be written.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        try arguments.requireEnd()
        return try ProgramSessions.set(false, context)
    }
}
