import MDAuditClient
import MDAuditLog
import MDAuditReading
import MDAuditRecord
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
        "           [--after SEQ] [--limit N] [--json]",
    ]
    static let help = """
        A line for each record, the newest last: its number and time, the user (of a record without a name the one who had
        the uid then, by the register of people), what happened to which key, what was
        tried and what is forced, the policy file and line. What a user kept in a spool, and what therefore is only the
        user's word, is marked. Each option narrows the list:

        \(AuditFilter.help)

        Only behind the verb do --user and --host narrow; before it they do not change the list. The log is not checked
        against its checkpoint here; mdefaults audit verify does that.

        JSON: an array of records with the fields v, seq, time, boot, mono, kind, src, host, uid, user, auid, session,
        pid, start, exe, unit, via, domain, key, forced, tried, policy {id, file, line, sha256}, outcome, count, first,
        last, note; what a record does not have is left out. Integers beyond 2^53 are {"$int":"…"}, values that are not
        kept {"type","size","sha256"}; of a key that is sensitive by now {"sensitive":true} with "hmac", or "type" and "size".

        exit codes: 0 listed, none included; 2 wrong command line; 4 the log could not be read; 5 listed, but some
        lines of the log are no records.
        """
    static let ownOptions = AuditFilter.ownOptions

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let filter = try AuditFilter(&arguments, context)
        try arguments.requireEnd()
        let machine = try context.machine()
        var output = AuditListOutput(context, machine.root)
        let reading = try filter.read(machine, context.console) { record, _ in output.add(record) }
        try output.end()
        return AuditFilter.sayProblems(of: reading, machine.root, context.console) ? .badInput : .success
    }
}
