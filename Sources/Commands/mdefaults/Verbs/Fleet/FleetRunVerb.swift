import MDEngine
import MDFleet
import MDPlatform
import MDPolicyStore
import MDPrograms

/// `fleet run`: what a host of a fleet sends to its centre.
enum FleetRunVerb: Verb {
    static let name = ["fleet", "run"]
    static let summary = "send what the fleet's centre does not have of this machine"
    static let usage = ["fleet run"]
    static let accepts: GlobalOptions.Kinds = [.root]
    static let help = """
        For a machine with /etc/managed-defaults/fleet.json: asks the centre which records of the audit log it has, and
        sends those that follow, as they stand in the log, with a signed checkpoint; at most 1 MiB packed at a time, and the
        next ones once the centre has these. A status goes each 5 minutes and at each change, a report (as report --format
        json makes it) at most each hour, if its content changed. A run with nothing to send changes nothing.

        What the centre says is believed only if its records are this machine's. If it has others, or more, the machine was
        set back: once a boot another log is begun, with a record of that. Where fleet.json has "ResetsAtBoot", a log is
        begun at each boot, and nothing is wrong. A machine that was copied from an enrolled one sends only that it is a copy.

        exit codes: 0 done, or nothing to do; 1 something is for an administrator to look at, or this machine is in no
        fleet; 2 wrong command line; 4 the centre does not answer, or a file could not be read or written; 5 fleet.json
        does not parse.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        try arguments.requireEnd()
        let clock = try ReportTime.givenClock(context)
        let root = try context.root()
        try PolicyWriting.requirePermission(for: PolicyStore(root: root), to: "send to the fleet's centre")
        let configuration: FleetConfiguration
        do throws(FleetFault) {
            guard let found = try FleetConfiguration.read(root) else {
                context.console.say(
                    "This machine is in no fleet: there is no \(Printable.escape(root.display(FleetConfiguration.path)))."
                )
                return .no
            }
            configuration = found
        } catch {
            throw Failure(code: .badInput, message: "\(Printable.escape("\(error)")).")
        }
        do throws(FleetFault) {
            let lock = try HostLock(of: root)
            defer { withExtendedLifetime(lock) {} }
            var run = HostRun(
                root, configuration, over: try Transports.transport(to: configuration, of: root),
                now: clock ?? Clock.now(), version: ToolVersion.current
            ) {
                PolicyMachine(root: root, expanding: .commonSettings(of: root)).policy(at: clock)
            }
            let outcome = try run.run()
            for line in outcome.done { try? context.console.line(Printable.escape(line)) }
            for problem in outcome.problems { context.console.say(Printable.escape(problem)) }
            return outcome.problems.isEmpty ? .success : .no
        } catch {
            throw Failure(code: .inputOutput, message: "\(Printable.escape("\(error)")).")
        }
    }
}
