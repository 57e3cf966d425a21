import MDAudit
import MDAuditClient
import MDEngine
import MDPlatform
import MDPropertyList

/// `audit list`: the records of the audit log.
enum AuditListVerb: Verb {
    static let name = ["audit", "list"]
    static let summary = "list the records of the audit log"
    static let usage = [
        "audit list [--since TIME] [--until TIME] [--user NAME] [--host NAME]",
        "           [--domain DOMAIN] [--key KEY] [--kind KIND]",
        "           [--limit N] [--json]",
    ]
    static let help = """
        A line for each record, the newest last: its number and time, the user, what happened to which key, what was
        tried and what is forced, the policy file and line. Each option narrows the list:

        --since TIME, --until TIME   RFC 3339, themselves included: 2026-11-20T08:00:00Z
        --user NAME                  a user's name, or the uid
        --domain DOMAIN, --key KEY   exactly this domain, exactly this key; where the log has no record of a DOMAIN that
                                     ends in .plist, the domain of that file is meant
        --kind KIND                  override, policy, grant, damaged, drop, start, stop, recover or gap
        --host NAME                  the name of the host as the record has it
        --limit N                    the newest N of the records that are left

        Only behind the verb do --user and --host narrow; before it they do not change the list. The log is not checked
        against its checkpoint here; mdefaults audit verify does that.

        JSON: an array of records with the fields v, seq, time, boot, mono, kind, src, host, uid, user, auid, session,
        pid, start, exe, unit, via, domain, key, forced, tried, policy {id, file, line, sha256}, outcome, count, first,
        last, note; what a record does not have is left out. Integers beyond 2^53 are {"$int":"…"}, values that are not
        kept {"type","size","sha256"}.

        exit codes: 0 listed, none included; 2 wrong command line; 4 the log could not be read; 5 listed, but some
        lines of the log are no records.
        """
    static let ownOptions = ["--user", "--host"]

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        var query = try query(&arguments)
        try arguments.requireEnd()
        let root = try context.machine().root
        var output = AuditListOutput(context, root)
        let reading: AuditQueryResult
        do {
            try noteMissing(root, context.console)
            // A domain of exactly this name in the log has precedence, as one in policy has in other verbs.
            if let word = query.domain?.string, DomainNotation.isAmbiguous(word), try !has(query.domain, root) {
                query.domain = DomainNotation.domain(word)
            }
            reading = try read(query, root, into: &output)
        } catch {
            throw Failure(code: .inputOutput, message: "The audit log could not be read: \(error).")
        }
        try output.end()
        return sayProblems(of: reading, root, context.console) ? .badInput : .success
    }

    /// Whether the log has a record of a domain.
    private static func has(_ domain: Key?, _ root: Root) throws(AuditError) -> Bool {
        try !AuditLog(root: root).records(matching: AuditQuery(domain: domain, limit: 1)).records.isEmpty
    }

    /// Lists the records that match.
    ///
    /// Without a limit they are printed while the log is read, so that memory does not grow
    /// with it.
    private static func read(
        _ query: AuditQuery, _ root: Root, into output: inout AuditListOutput
    ) throws(AuditError) -> AuditQueryResult {
        let log = AuditLog(root: root)
        guard query.limit == nil else {
            let reading = try log.records(matching: query)
            for record in reading.records { output.add(record) }
            return reading
        }
        return try log.forEachRecord { if query.matches($0) { output.add($0) } }
    }

    /// Prints on standard error that there is no log, if there is none.
    private static func noteMissing(_ root: Root, _ console: Console) throws(AuditError) {
        do {
            _ = try root.status(AuditLog.path, followingLinks: true)
        } catch {
            guard error.isMissing else { throw .system(error) }
            console.say(
                "There is no audit log at \(Printable.escape(root.display(AuditLog.path))): either nothing was recorded "
                    + "yet, or it was removed; mdefaults audit verify and mdefaults report say which.")
        }
    }

    /// The most lines without a record that are named.
    private static let namedProblems = 5

    /// Prints on standard error which lines are no records; returns whether there are any.
    private static func sayProblems(of reading: AuditQueryResult, _ root: Root, _ console: Console) -> Bool {
        guard reading.problemCount > 0 else { return false }
        let log = Printable.escape(root.display(AuditLog.path))
        for problem in reading.problems.prefix(namedProblems) {
            console.say("\(log):\(problem.line): this line is no record: \(Printable.escape(problem.message)).")
        }
        if reading.problemCount > namedProblems {
            console.say("\(reading.problemCount - namedProblems) more lines of \(log) are no records.")
        }
        console.say("mdefaults audit verify says what of the log is proven.")
        return true
    }

    /// Parses the options that select records.
    private static func query(_ arguments: inout Arguments) throws(Failure) -> AuditQuery {
        let since = try time("--since", &arguments)
        let until = try time("--until", &arguments)
        if let since, let until, since > until {
            throw .usage("--since \(since) is later than --until \(until).", of: self)
        }
        return AuditQuery(
            since: since, until: until, user: try text("--user", &arguments),
            domain: try text("--domain", &arguments).map {
                DomainNotation.isAmbiguous($0) ? Key($0) : DomainNotation.domain($0)
            },
            key: try arguments.option("--key").map { Key($0) },
            kind: try kind(&arguments), host: try text("--host", &arguments), limit: try limit(&arguments))
    }

    /// Parses an option whose value is neither empty nor an option.
    private static func text(_ option: String, _ arguments: inout Arguments) throws(Failure) -> String? {
        guard let text = try arguments.option(option) else { return nil }
        if text.isEmpty || text.hasPrefix("--") { throw .usage("\(option) needs a value.", of: self) }
        return text
    }

    /// Parses an option whose value is a time.
    private static func time(_ option: String, _ arguments: inout Arguments) throws(Failure) -> Timestamp? {
        guard let text = try arguments.option(option) else { return nil }
        guard let time = Timestamp(rfc3339: text) else {
            throw .usage(
                "\(option) \(Printable.escape(text)) is no time of RFC 3339, such as 2026-11-20T08:00:00Z.", of: self)
        }
        return time
    }

    /// Parses `--kind`.
    private static func kind(_ arguments: inout Arguments) throws(Failure) -> RecordKind? {
        guard let text = try arguments.option("--kind") else { return nil }
        let kind = RecordKind(rawValue: text)
        guard kind.isKnown else {
            let names = RecordKind.known.map(\.rawValue).joined(separator: ", ")
            throw .usage("There is no kind \(Printable.escape(text)); there are \(names).", of: self)
        }
        return kind
    }

    /// Parses `--limit`.
    private static func limit(_ arguments: inout Arguments) throws(Failure) -> Int? {
        guard let text = try arguments.option("--limit") else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let limit = Int(text), limit > 0 else {
            throw .usage("--limit \(Printable.escape(text)) is no whole number from 1 on.", of: self)
        }
        return limit
    }
}
