import MDCare
import MDPlatform

/// `programs prepare`: writes the instances of a user whose login session begins.
enum ProgramsPrepareVerb: Verb {
    static let name = ["programs", "prepare"]
    static var accepts: GlobalOptions.Kinds { [.root, .user] }
    static let summary = "write a user's policy before a login session begins"
    static let usage = ["programs prepare [--user NAME]"]
    static let help = """
        For PAM, which runs this before pam_namespace and names the user in PAM_USER: writes the user's instances of
        programs' folders (programs enable), at most 2 s. If what holds for the user is not known by then, an instance
        that is there stays as it is, and a new one has what the strictest user would have.

        exit codes: 0 every instance is there; 2 wrong command line; 4 one could not be written, and the session must not
        get any.
        """

    /// How long it may take to find out what holds for the user.
    private static let seconds = 1.5

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        try arguments.requireEnd()
        _ = try PolicyWriting.root(context, to: "prepare sessions")
        // Set by PAM; root may name any user by hand.
        guard let user = context.options.user ?? Environment.values(of: ["PAM_USER"])["PAM_USER"] else {
            throw .usage("Name a user with --user.", of: self)
        }
        do {
            let programs = MachinePrograms(machine: try context.machine(saying: false))
            if try !programs.prepare(user, within: seconds) {
                context.console.say(
                    "What holds for \(Printable.escape(user)) was not known in time; the session has what was written"
                        + " before, or what the strictest user would have.")
            }
        } catch let error as Failure {
            throw error
        } catch {
            throw Failure(code: .inputOutput, message: "\(error)")
        }
        return .success
    }
}
