import MDAuditLog
import MDAuditReading
import MDEngine
import MDPlatform
import MDPropertyList

/// `audit export`: the records of the audit log in the format of another program.
enum AuditExportVerb: Verb {
    static let name = ["audit", "export"]
    static let summary = "print the records of the audit log for other programs"
    static let usage = [
        "audit export --format jsonl|csv|ocsf|ecs|rfc5424",
        "             [--since TIME] [--until TIME] [--user NAME] [--host NAME]",
        "             [--domain DOMAIN] [--key KEY] [--kind KIND] [--after SEQ] [--limit N]",
    ]
    static let help = """
        Prints each record in one format, oldest first, in memory that does not grow with the log unless --limit asks
        for many. No format has the value of a key that is sensitive by now, whatever the log has of it: its type and size
        stand in its place.

        --format jsonl     the lines of the log, byte for byte, as proofs need them; only a line of which a value is hidden
                           is made again
        --format csv       RFC 4180, with the names of the columns in the first line; a cell that a spreadsheet would take
                           for a formula begins with an apostrophe; values are JSON; fields of a later version are left
                           out
        --format ocsf      one event a line, Open Cybersecurity Schema Framework 1.8.0: attempts, policy and grants as
                           Entity Management (3004) with the profile security_control, start and stop as Application
                           Lifecycle (6002), damage and losses as Application Error (6008); metadata.uid is
                           LOG/NUMBER, which no other record has
        --format ecs       one document a line, Elastic Common Schema 8.17; event.id is LOG/NUMBER; fields of this
                           program are in managed_defaults
        --format rfc5424   one syslog message a line, facility authpriv, severity notice; fields of the record are in
                           [mdefaults@32473 …]

        Each option narrows the output:

        \(AuditFilter.help)

        exit codes: 0 printed, no records included; 2 wrong command line; 4 the log could not be read; 5 printed, but
        some lines of the log are no records.
        """
    static let ownOptions = AuditFilter.ownOptions
    static let accepts: GlobalOptions.Kinds = [.root]

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let format = try format(&arguments)
        let filter = try AuditFilter(&arguments, context)
        try arguments.requireEnd()
        let machine = try context.machine()
        let root = machine.root
        let exporter = RecordExporter(
            format, source: ExportSource(version: ToolVersion.current, log: AuditLog(root: root).name))
        var failure: Failure?
        /// Prints bytes; retains an error, because the reader of the log passes none on.
        func write(_ bytes: [UInt8]) {
            guard failure == nil else { return }
            do throws(Failure) { try context.console.write(bytes) } catch { failure = error }
        }
        // Nothing is printed of a log that cannot be read.
        var head = exporter.head
        let reading = try filter.read(machine, context.console) { record, line in
            if failure == nil { write(head + exporter.line(record, stored: line)) }
            head = []
        }
        write(head)
        if let failure { throw failure }
        return AuditFilter.sayProblems(of: reading, root, context.console) ? .badInput : .success
    }

    /// Parses `--format`.
    private static func format(_ arguments: inout Arguments) throws(Failure) -> ExportFormat {
        let names = ExportFormat.allCases.map(\.rawValue).joined(separator: ", ")
        guard let word = try arguments.option("--format") else {
            throw .usage("--format is missing; there are \(names).", of: self)
        }
        guard let format = ExportFormat(rawValue: word) else {
            throw .usage("There is no format \(Printable.escape(word)); there are \(names).", of: self)
        }
        return format
    }
}
