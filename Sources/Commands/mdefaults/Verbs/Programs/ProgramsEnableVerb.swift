import MDPlatform

/// `programs enable`: login sessions get each user's policy in programs that know one policy for a machine.
enum ProgramsEnableVerb: Verb {
    static let name = ["programs", "enable"]
    static var accepts: GlobalOptions.Kinds { [.root] }
    static let summary = "give login sessions each user's policy in browsers"
    static let usage = ["programs enable"]
    static let help = """
        Browsers and some other programs know one policy for the whole machine (programs list: instance). After this
        command each login session sees its user's instance of the program's folder in place of the machine's, by
        pam_namespace: /etc/security/namespace.d/managed-defaults.conf says which folders, and PAM's session lines, on
        Debian the profile managed-defaults of pam-auth-update, have mdefaults programs prepare write the instance before.
        All Flatpaks get one override, which shows them the policy record and the audit service.
        Sessions of users below uid 1000 and of root, and with them the greeter, are left alone. Sessions that run already
        keep the machine's policy until the next login.

        If an instance cannot be written, the session begins with the machine's policy. If it is not known in time what
        holds for a user, the instance has what the strictest user would have, until policy apply mends it.

        Only root may do this. programs disable takes everything back.

        exit codes: 0 enabled; 1 the machine lacks something that this needs; 2 wrong command line; 4 could not be written.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        try arguments.requireEnd()
        return try ProgramSessions.set(true, context)
    }
}
