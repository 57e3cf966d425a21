import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDEngine
import MDPlatform
import MDPropertyList
import MDTools

/// The options that select records of the audit log, and the reading of the records that they select.
struct AuditFilter {
    /// The lines about the options in the help of a verb.
    static let help = """
        --since TIME, --until TIME   themselves included: 09:30, Mon 11:00, yesterday, 2026-11-20 (--until: its end), 7d
                                     (ago), or a moment of RFC 3339; without a zone in the machine's time
        --user NAME                  a user's name, or the uid; also finds records without a name that are of NAME by the
                                     register of people, and pseudonyms of the user, for who can read their key
        --domain DOMAIN, --key KEY   exactly this domain, exactly this key; where the log has no record of a DOMAIN that
                                     ends in .plist, the domain of that file is meant
        --kind KIND                  override, policy, grant, damaged, drop, start, stop, recover or gap
        --host NAME                  the name of the host as the record has it
        --after SEQ                  records with a higher number than SEQ
        --limit N                    the newest N of the records that are left; what lies before them is not read
        """
    /// The options that also exist before a verb.
    static let ownOptions = ["--user", "--host"]

    /// The conditions.
    private(set) var query: AuditQuery

    /// Parses the options of a verb.
    ///
    /// - Parameters:
    ///   - arguments: the arguments behind the verb.
    ///   - context: the machine whose time zone applies.
    ///   - limited: whether the verb has `--limit`.
    /// - Throws: a usage failure.
    init(_ arguments: inout Arguments, _ context: Context, limited: Bool = true) throws(Failure) {
        let since = try TimeArgument.past("--since", &arguments, edge: .start, context)
        let until = try TimeArgument.past("--until", &arguments, edge: .end, context)
        if let since, let until, since > until {
            throw .usage("--since \(since) is later than --until \(until).", of: arguments.verb)
        }
        query = AuditQuery(
            since: since, until: until, user: try AuditFilter.text("--user", &arguments),
            domain: try AuditFilter.text("--domain", &arguments).map {
                DomainNotation.isAmbiguous($0) ? Key($0) : DomainNotation.domain($0)
            },
            key: try arguments.option("--key").map { Key($0) },
            kind: try AuditFilter.kind(&arguments), host: try AuditFilter.text("--host", &arguments),
            after: limited ? try AuditFilter.number("--after", from: 0, &arguments) : nil,
            limit: limited ? try AuditFilter.number("--limit", &arguments) : nil)
    }

    /// Passes on each record that is selected with its line, oldest first, without values of keys that are sensitive.
    ///
    /// A record without a name has that of who had its uid at its time, if the register of people says; the line has none.
    ///
    /// Says on standard error if there is no log.
    ///
    /// - Returns: the lines that are not records.
    /// - Throws: exit 4 if the log cannot be read.
    func read(
        _ machine: PolicyInForce, _ console: Console, _ body: (AuditRecord, ArraySlice<UInt8>) -> Void
    ) throws(Failure) -> AuditQueryResult {
        let root = machine.root
        do throws(AuditError) {
            try AuditFilter.noteMissing(root, console)
            let names = PeopleNames(root: root)
            return try AuditLog(root: root).forEachEntry(
                matching: try resolved(root).query, hiding: machine.sensitiveKeys
            ) { record, line in
                body(record.named(by: names), line)
            }
        } catch {
            throw AuditFilter.failure(error)
        }
    }

    /// The same conditions on the domain and the user that are meant.
    ///
    /// A domain of exactly this name in the log has precedence, as one in policy has in other verbs.
    func resolved(_ root: Root) throws(AuditError) -> AuditFilter {
        var filter = self
        if let user = query.user {
            filter.query.people = PeopleNames(root: root).rows(named: user)
            filter.query.aliases = AuditFilter.pseudonyms(of: user, filter.query.people, root)
        }
        guard let word = query.domain?.string, DomainNotation.isAmbiguous(word) else { return filter }
        let exact = try AuditLog(root: root).records(matching: AuditQuery(domain: query.domain, limit: 1)).records
        if exact.isEmpty { filter.query.domain = DomainNotation.domain(word) }
        return filter
    }

    /// The pseudonyms of a user by name or uid; none without the key, which only root and the audit service can read.
    private static func pseudonyms(of user: String, _ people: [PeopleRegister.Row], _ root: Root) -> [String] {
        guard let key = PseudonymKey(reading: root) else { return [] }
        let found = (try? AccountDatabase(root: root).lookUpAccount(named: user)) ?? nil
        // A pseudonym belongs to a uid, not to a name.
        let own = found?.uid ?? people.last { $0.until == nil }?.uid ?? UInt32(user)
        return [own.map { key.pseudonym(.person, "\($0)") }, key.pseudonym(.name, user)].compactMap(\.self)
    }

    /// The failure for a log that cannot be read.
    static func failure(_ error: AuditError) -> Failure {
        if case .system(let reason) = error, reason.isForbidden {
            return Failure(
                code: .inputOutput,
                message: "The audit log is read by root and by members of the group of its folder, usually adm, who "
                    + "can list the records of one user with --user: \(error).")
        }
        return Failure(code: .inputOutput, message: "The audit log could not be read: \(error).")
    }

    /// Prints on standard error that there is no log, if there is none.
    static func noteMissing(_ root: Root, _ console: Console) throws(AuditError) {
        do throws(SystemError) {
            if try LogParts.exist(root: root, files: .current) { return }
        } catch {
            throw .system(error)
        }
        console.say(
            "There is no audit log at \(Printable.escape(root.display(AuditLog.path))): either nothing was recorded "
                + "yet, or it was removed; mdefaults audit verify and mdefaults report say which.")
    }

    /// The most lines without a record that are named.
    private static let namedProblems = 5

    /// Prints on standard error which lines are not records; returns whether there are any.
    static func sayProblems(of reading: AuditQueryResult, _ root: Root, _ console: Console) -> Bool {
        guard reading.problemCount > 0 else { return false }
        for problem in reading.problems.prefix(namedProblems) {
            let file = Printable.escape(root.display(problem.file))
            console.say("\(file):\(problem.line): this line is no record: \(Printable.escape(problem.message)).")
        }
        if reading.problemCount > namedProblems {
            console.say("\(reading.problemCount - namedProblems) more lines of the log are no records.")
        }
        console.say("mdefaults audit verify says what of the log is proven.")
        return true
    }

    /// Parses an option whose value is neither empty nor an option.
    static func text(_ option: String, _ arguments: inout Arguments) throws(Failure) -> String? {
        guard let text = try arguments.option(option) else { return nil }
        if text.isEmpty || text.hasPrefix("--") { throw .usage("\(option) needs a value.", of: arguments.verb) }
        return text
    }

    /// Parses `--kind`.
    private static func kind(_ arguments: inout Arguments) throws(Failure) -> RecordKind? {
        guard let text = try arguments.option("--kind") else { return nil }
        let kind = RecordKind(rawValue: text)
        guard kind.isKnown else {
            let names = RecordKind.known.map(\.rawValue).joined(separator: ", ")
            throw .usage("There is no kind \(Printable.escape(text)); there are \(names).", of: arguments.verb)
        }
        return kind
    }

    /// Parses an option whose value is a whole number from 1 on.
    static func number(_ option: String, from least: Int = 1, _ arguments: inout Arguments) throws(Failure) -> Int? {
        guard let text = try arguments.option(option) else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
            number >= least
        else {
            throw .usage(
                "\(option) \(Printable.escape(text)) is no whole number from \(least) on.", of: arguments.verb)
        }
        return number
    }
}
