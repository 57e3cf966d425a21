import MDEngine
import MDFleet
import MDPlatform
import MDPropertyList

/// `policy facts`: all that policy depends on of this host, for `--facts` on another one.
enum PolicyFactsVerb: Verb {
    static let name = ["policy", "facts"]
    static var accepts: GlobalOptions.Kinds { [.root, .user, .json] }
    static let summary = "print what policy asks about this host, for --facts elsewhere"
    static let usage = ["policy facts [--user NAME]"]
    static let help = """
        Prints the name of this host, the words of its tags file, its people with their groups, or with --user that
        one user alone, and the digests of the policy files in force. On any other machine that has the policy files, mdefaults --facts FILE then answers for this
        host: forced, explain, policy show, policy list, policy diff and policy digest.

        Users of a directory service are printed only where --user names them.

        JSON, and the only form: {"Host","Tags":[…],"TimeZone","Users":{NAME:{"UID","Groups":[…],"Home","Directory"}},
        "Groups":{NAME:GID},"Policy":[{"Name","Identifier","SHA256","Temporary":true,"Fleet":true}]}. The first of a user's
        groups is the primary one. "Temporary" is a file of /run, "Fleet" one that the host's fleet put there; while policy
        is unknown here, Policy is missing. --facts - reads standard input. A file written by hand needs Host and the users
        that are asked about: one without Groups is in none; without UID or Home, a key whose value has them is forced to
        have no value; without TimeZone, windows that name no zone are those of this machine, which is said; without Policy,
        policy diff --hosts says of it that what changes is unknown.

        exit codes: 0 printed; 2 wrong command line; 4 could not read, or this is a user namespace whose policy is that of
        the machine outside of it, so that nothing here tells who is who.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        try arguments.requireEnd()
        let machine = try context.machine()
        guard !machine.isForeign else {
            throw Failure(
                code: .inputOutput,
                message:
                    "This is a user namespace, in which users, groups and names may be anybody's; facts of it would "
                    + "be wrong elsewhere. Run mdefaults policy facts outside of it.")
        }
        let users = try context.options.user == nil ? machine.people : [context.account()]
        let facts = HostFacts(of: machine, users: users, fleet: SnapshotState.names(machine.root))
        if let reason = machine.missingFacts {
            throw Failure(code: .inputOutput, message: "\(reason) Facts without it would be wrong elsewhere.")
        }
        if facts.timeZone == nil {
            context.console.say(
                "The name of this host's time zone is not known, because \(machine.root.display("/etc/localtime")) is no "
                    + "link to a zone; write it into the field TimeZone.")
        }
        try context.print(facts.json)
        return .success
    }
}
