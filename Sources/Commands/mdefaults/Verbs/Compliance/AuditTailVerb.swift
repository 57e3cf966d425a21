import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDEngine
import MDPlatform
import MDPropertyList
import MDTools

/// `audit tail`: follows the audit log.
enum AuditTailVerb: Verb {
    static let name = ["audit", "tail"]
    static let summary = "follow the audit log"
    static let usage = [
        "audit tail [--lines N] [--since TIME] [--until TIME] [--user NAME]",
        "           [--host NAME] [--domain DOMAIN] [--key KEY] [--kind KIND]",
        "           [--json]",
    ]
    static let help = """
        Prints the newest records of the log, and then each new one as soon as it is stored, until it is interrupted.
        When the log is renamed and another one begun, it goes on with that. Nothing is polled. With --json, one JSON
        document a line, as audit list has them in its array.

        --lines N                    begin with the newest N records that are selected; 10 without it, 0 for none
        \(AuditFilter.help.split(separator: "\n").dropLast().joined(separator: "\n"))

        exit codes: 0 interrupted (SIGINT or SIGTERM); 2 wrong command line; 4 the log could not be read or watched.
        """
    static let ownOptions = AuditFilter.ownOptions

    /// The number of records to begin with, if none is given.
    private static let usualLines = 10

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let lines = try AuditFilter.number("--lines", from: 0, &arguments) ?? usualLines
        let filter = try AuditFilter(&arguments, context, limited: false)
        try arguments.requireEnd()
        let machine = try context.machine()
        let (root, secrets) = (machine.root, machine.sensitiveKeys)
        var follower = LogFollower(root: root, hiding: secrets)
        var output: AuditTailOutput
        do throws(AuditError) {
            try AuditFilter.noteMissing(root, context.console)
            // What is added from here on is passed on, whatever becomes of the file until then.
            do throws(SystemError) { try follower.attach() } catch { throw .system(error) }
            output = AuditTailOutput(context, root, try filter.resolved(root).query)
            try output.begin(with: lines, hiding: secrets)
        } catch {
            throw AuditFilter.failure(error)
        }
        do throws(SystemError) {
            // Before any thread, which would get the signals.
            let stop = try StopSignal.ofTheProcess()
            let events = try PathEvents(root: root, path: AuditLog.path)
            let poller = try Poller()
            try poller.add(stop.raw)
            try poller.add(events.raw)
            while true {
                try events.renew()
                try follower.advance { output.add($0) }
                if !output.flush() { break }
                if poller.wait(milliseconds: nil).contains(where: { $0.raw == stop.raw }) { break }
            }
        } catch {
            throw .of(error)
        }
        if let failure = output.failure { throw failure }
        return .success
    }
}
