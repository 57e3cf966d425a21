import MDEngine
import MDPlatform
import MDPolicyCore
import MDPreferences
import MDPropertyList
import MDTools

/// `watch`: values as an application gets them, and each change of them.
enum WatchVerb: Verb {
    static let name = ["watch"]
    static var accepts: GlobalOptions.Kinds { [.root, .user, .json] }
    static let summary = "follow values as an application gets them"
    static let usage = ["watch DOMAIN [KEY] [--json]"]
    static let help = """
        Prints what an application of that name gets, and again what changes, until it is interrupted or its output is
        closed: by policy, by time, by any program that stores a value. For programs of languages that do not have the
        library: start it, read lines, and end it with the program. Nothing is polled, and nothing is written: what policy
        sets once shows, and is stored when an application opens the domain. Sensitive values are printed for DOMAIN KEY
        only.

        Without --json: a line for each key, and one for each that changes.
        JSON: a document a line, the first at once and one for each change, always with everything:
        {"domain","settings":{"KEY":{"forced":bool,"value","origin"}}}
        with KEY: {"domain","key","forced":bool,"value","origin"}
        A key has the members of forced DOMAIN KEY; a value of the user has no "origin", and a key that has neither value nor
        entry is not in "settings". In a sealed domain, "sealed":true says that every other key is forced to have no value.
        While policy is unknown, "unknown" says why, "settings" and "value" are missing, and every key counts as forced.

        exit codes: 0 interrupted (SIGINT or SIGTERM), or its output is closed; 2 wrong command line; 4 could not watch.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        guard let domain = try arguments.nextDomain(context) else { throw .usage("DOMAIN is missing.", of: self) }
        let key = try arguments.nextKey()
        try arguments.requireEnd()
        let (machine, account) = (try context.machine(), try context.account())
        if machine.root.isSystem, account.uid != CurrentProcess.uid {
            throw Failure(
                code: .inputOutput,
                message: "The settings of another user cannot be followed; as \(Printable.escape(account.name)),"
                    + " run the same command.")
        }
        let domains = SearchOrder(ofOther: domain).forcingDomains
        var output = WatchOutput(context, domain, key)
        do throws(SystemError) {
            // Before any thread, which would get the signals.
            let stop = try StopSignal.ofTheProcess()
            let wake = try WakeSignal()
            let poller = try Poller()
            try poller.add(stop.raw)
            try poller.add(wake.raw)
            // The end of the reader is reported; a file has none.
            if (try? poller.add(StandardStream.output.rawValue)) != nil {
                poller.watch(StandardStream.output.rawValue, reading: false, writing: false)
            }
            let follower = SessionFollower(domains, of: account, on: machine)
            while true {
                wake.reset()
                output.print(follower.read { wake.raise() })
                if output.failure != nil { break }
                let ready = poller.wait(milliseconds: follower.needsAnotherLook ? 1_000 : nil)
                if ready.contains(where: { $0.raw != wake.raw }) { break }
            }
        } catch {
            throw .of(error)
        }
        if let failure = output.failure { throw failure }
        return .success
    }
}
