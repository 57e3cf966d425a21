import MDCare
import MDEngine
import MDPlatform
import MDPropertyList

/// `doctor`: checks whether everything is in force, and says what to do if not.
enum DoctorVerb: Verb {
    static let name = ["doctor"]
    static var accepts: GlobalOptions.Kinds { [.root, .user, .json] }
    static let summary = "check whether everything is in force, and say what to do"
    static let usage = ["doctor [-v]", "doctor --hardening"]
    static let help = """
        Looks at everything that policy and audit need, for the user of --user or the caller: whether the directories
        of policy files are trusted, whether each file is in force as it is now and can be read by everybody, whether
        everybody can read what is kept of policy and only root can write it, lint's errors, good copies, the table,
        the generations that can be put back, what renews these where systemd runs, the files of other programs and whether
        these said that they obey, signatures, the clock, time zones and calendars, the users and groups that targets name, tags, host name, lists of users, the user's preference
        files, the audit log and whether it can be written, records that wait in a spool, whether the audit service
        answers where it is meant to run, a log service that keeps a trace of attempts and of what policy sets once,
        temporary files that were left behind, files of further languages, and which application a program counts as.
        Prints what fails, with ✗ and what to do, and how many checks are passed; -v shows these too, with ✓.

        Nothing is written; mdefaults policy apply records what is in force.

        --hardening says instead which ways around the policy of programs this machine leaves its users, and what closes
        each: user namespaces, programs that are setuid root and mount, places where users run programs of their own,
        programs in memory, debuggers, terminals, variables of GSettings, KDE and LibreOffice, Flatpak, FUSE. None of these
        is policy that fails. A way is closed only if it was looked at; others than these exist.

        JSON: [{"check","ok":bool,"detail","remedy","command":[argument],"subject"}]. "check" is one of managed,
        directories, policy-file, readable, kept, lint, good-copies, table, generations, renewal, programs,
        programs-confirm, signatures, clock, schedule, names, tags, host-name, accounts, preferences, audit-log,
        audit-writable, spool, audit-service, engines, log-service, leftovers, messages, application. "remedy" only
        where "ok" is false, "command" where a command does what the remedy says; "subject", a path, where there are
        several.
        With --hardening: [{"way","state":"possible"|"closed"|"unknown","detail","remedy","subject"}].

        Exit 0 when every check is passed, or every way is closed, 1 when not, 2 for a wrong command line, 4 where the
        machine cannot be opened.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let isWhole = arguments.flag("-v") || context.options.verbose
        let isHardening = arguments.flag("--hardening")
        try arguments.requireEnd()
        if isHardening {
            guard !isWhole, context.options.user == nil else {
                throw .usage("--hardening is about the machine, and goes without -v and --user.", of: self)
            }
            return try hardening(context)
        }
        let session = try context.session()
        let checks = Doctor(session: session).checks()
        if context.options.json {
            try json(checks, context)
        } else {
            let failed = checks.filter { !$0.isOK }
            for check in failed { try show(check, context.console) }
            if isWhole { for check in checks where check.isOK { try show(check, context.console) } }
            if isWhole || !failed.isEmpty { try context.console.line() }
            let hint = isWhole ? "" : "; -v shows each"
            try context.console.line(
                failed.isEmpty
                    ? "All \(checks.count) checks are passed\(hint)."
                    : "\(failed.count) of \(checks.count) checks \(failed.count == 1 ? "is" : "are") not passed"
                        + "\(hint).")
            if !session.machine.isManaged { for line in Beginning.lines(context) { try context.console.line(line) } }
        }
        return checks.allSatisfy(\.isOK) ? .success : .no
    }

    /// Prints the ways around policy.
    private static func hardening(_ context: Context) throws(Failure) -> ExitCode {
        let ways = Hardening(of: try context.root()).ways()
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.beginArray()
            for way in ways {
                json.beginObject()
                json.field("way", way.name)
                json.field("state", way.state.rawValue)
                json.field("detail", way.detail)
                json.field("remedy", way.remedy)
                json.field("subject", way.subject)
                json.endObject()
            }
            json.endArray()
            try context.print(json)
        } else {
            for way in ways {
                try show("\(way.state.words): \(way.detail)", first: "", way.remedy, context.console)
            }
            try context.console.line()
            try context.console.line(HardeningWay.summary(of: ways))
        }
        return ways.allSatisfy { $0.state == .closed } ? .success : .no
    }

    /// Prints the checks for programs.
    private static func json(_ checks: [Check], _ context: Context) throws(Failure) {
        var json = JSONWriter(pretty: true)
        json.beginArray()
        for check in checks {
            json.beginObject()
            json.field("check", check.name)
            json.field("ok", check.isOK)
            json.field("detail", check.detail)
            json.field("remedy", check.remedy)
            json.field("command", check.command.map { .array($0.map { .string($0) }) })
            json.field("subject", check.subject)
            json.endObject()
        }
        json.endArray()
        try context.print(json)
    }

    /// Prints a check for people.
    private static func show(_ check: Check, _ console: Console) throws(Failure) {
        let mark = check.isOK ? console.ink.green("✓") : console.ink.red("✗")
        try show(check.detail, first: "\(mark) ", check.remedy, console)
    }

    /// Prints what was found, and what to do.
    private static func show(
        _ detail: String, first: String, _ remedy: String?, _ console: Console
    ) throws(Failure) {
        for line in Layout.wrap(detail, indent: 2, first: first) { try console.line(line) }
        guard let remedy else { return }
        for line in Layout.wrap(remedy, indent: 4, first: "  → ") { try console.line(line) }
    }
}
