import MDAuditRecord
import MDCare
import MDEngine
import MDPlatform
import MDPolicyModel
import MDPropertyList
import MDTools

/// `audit count`: the numbers of override attempts, and the state of the log.
enum AuditCountVerb: Verb {
    static let name = ["audit", "count"]
    static let summary = "count override attempts, and say how the log is"
    static let usage = ["audit count [--since TIME] [--until TIME] [--json]"]
    static let help = """
        How the audit log is, and how many override attempts it has: by user, program, way, outcome, key, day and hour of
        the day in the machine's time. Attempts that senders claim are counted apart. Text has the first ten of each list
        and the last ten days, JSON all.

          --since TIME, --until TIME   attempts of this time only, as for audit list

        JSON: {"log":{"verified":bool,"status","records","dropped","firstBad","detail"},"attempts","claimed","dropped",
        "user","program","way","outcome":[{"name","attempts","claimed","keys"}],
        "key":[{"domain","key","attempts","claimed"}],"day":[{"day","attempts"}],"hour":[24 numbers],"limits":[sentence]}
        "log" is as report has it; "dropped" counts attempts of this time that were not stored. "limits" says what could
        not be read.

        exit codes: 0 counted; 1 counted, and the log is altered, truncated or could not be checked; 2 wrong command line;
        4 the log could not be read.
        """

    /// The most lines of a list in text.
    private static let listed = 10

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let since = try TimeArgument.past("--since", &arguments, edge: .start, context)
        let until = try TimeArgument.past("--until", &arguments, edge: .end, context)
        try arguments.requireEnd()
        let machine = try context.machine()
        let inspection = AuditLogInspection(
            root: machine.root, policies: machine.policies,
            AuditLogInspection.Period(
                since: since, until: until, now: Clock.now(),
                zone: (try? machine.moment.zones.zone(named: nil)) ?? .utc,
                isWhole: false))
        if context.options.json {
            try context.print(document(inspection))
        } else {
            for line in lines(inspection) { try context.console.line(line) }
        }
        if !inspection.limits.isEmpty || inspection.log.isForbidden { return .inputOutput }
        return inspection.log.isVerified == true ? .success : .no
    }

    private static func document(_ inspection: AuditLogInspection) -> JSONWriter {
        let tally = inspection.records.tally
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.member("log")
        json.beginObject()
        inspection.log.write(to: &json)
        json.endObject()
        json.field("attempts", tally.attempts)
        json.field("claimed", tally.claimed)
        json.field("dropped", inspection.records.dropped.seen)
        tally.write(to: &json)
        json.field("limits", .array(inspection.limits.map { .string($0) }))
        json.endObject()
        return json
    }

    private static func lines(_ inspection: AuditLogInspection) -> [String] {
        let (log, tally) = (inspection.log, inspection.records.tally)
        let claimed = tally.claimed > 0 ? ", and \(tally.claimed) more that senders claim" : ""
        let dropped = inspection.records.dropped.seen
        let lost = dropped > 0 ? "; \(dropped) were counted and not stored" : ""
        var lines = Layout.wrap(Printable.escape(log.detail), indent: 0)
        lines += inspection.limits.flatMap { Layout.wrap(Printable.escape($0), indent: 0) }
        lines.append("\(Plural.count(tally.attempts, "override attempt"))\(claimed)\(lost).")
        let lists = [
            ("by user", tally.byUser.map { ($0.name, $0.attempts) }),
            ("by key", tally.byKey.map { ($0.place.words, $0.attempts) }),
            ("by program", tally.byProgram.map { ($0.name, $0.attempts) }),
            ("by day", tally.byDay.suffix(listed).map { ($0.day, $0.attempts) }),
        ]
        for (title, counts) in lists where !counts.isEmpty {
            let more = counts.count > listed ? ", the first \(listed) of \(counts.count)" : ""
            lines += ["", "\(title)\(more)"]
            lines += counts.prefix(listed).map { Layout.beside("  \(Printable.escape($0.0))", "\($0.1)", indent: 4) }
                .flatMap(\.self)
        }
        return lines
    }
}
