import MDFleet
import MDPlatform
import MDReport

/// `fleet status`: all hosts of a fleet, as its centre has them.
enum FleetStatusVerb: Verb {
    static let name = ["fleet", "status"]
    static let summary = "say how every host of a fleet is"
    static let usage = ["fleet status [--format text|json|prometheus]"]
    static let accepts: GlobalOptions.Kinds = [.root, .json]
    static let help = """
        On the centre of a fleet: one sentence, the alarms, and every host by room. It reads what fleet collect wrote, asks
        no host, and says of each whether it is

          in order   something of it arrived in the last 15 minutes, it contradicts no record that the centre has of it,
                     and it says that it is compliant
          to mend    it says that something is not as it should be (not compliant, a refused file, an old snapshot, records
                     that wait), or does not say that all is
          silent     nothing of it arrived in that time, by the clock of the centre; never seen if it has only been enrolled
          alarm      what it sent does not fit what the centre has of it

        What arrived and what was compared is known; snapshot, verdict, refused files, exams and waiting records are what the
        host says of itself, and its room too unless it was enrolled in one. An alarm is open while its host is in dispute,
        any other for 7 days; fleet accept ends both. Under --root SOURCE_DATE_EPOCH is the clock.

          --format F   text (without it), json (as --json), or prometheus (numbers by room)

        JSON: {"time","clock","inOrder":bool,"sentence","published":{"epoch","serial","issued"}|null,
        "alarms":[{"time","host","word","dispute":bool,"sentence"}],"closedAlarms","problems":[…],
        "rooms":[{"room","hosts","alarm","silent","toMend","inOrder"}],
        "hosts":[{"host","state":"alarm"|"silent"|"toMend"|"inOrder","findings":[{"finding","words"}],
          "known":{"room","seen","log","records","signed":bool,"acknowledged","dispute","waits"},
          "says":{"time","room","epoch","serial","expired":bool,"policyDigest","verdict","log","records","waiting",
            "waitingSince","exams":[…],"refusedFile","refusedLine","refusedReason","version"}}],
        "checkpoint":{"origin","size","root"}}
        A host that sent nothing has no "says". "checkpoint" is that of the centre's own log, as it is there.

        exit codes: 0 every host is in order; 1 some are not, or there is none; 2 wrong command line; 4 there is no centre,
        or it could not be read.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let format = try ReportFormat(&arguments, context, among: [.text, .json, .prometheus])
        try arguments.requireEnd()
        let view = try read(context)
        switch format {
        case .json: try context.console.write(TerminalText.json(FleetJSON.render(view)))
        case .prometheus: try context.console.write(FleetMetrics.render(view))
        default: try context.console.write(Array(FleetText.render(view).utf8))
        }
        return view.isGood ? .success : .no
    }

    /// Reads the centre of `--root`, or this machine's.
    static func read(_ context: Context) throws(Failure) -> FleetView {
        let clock = ReportClock(try ReportTime.givenClock(context))
        let root = try context.root()
        do throws(FleetFault) {
            return try FleetView.read(root, clock: clock)
        } catch {
            throw Failure(code: .inputOutput, message: "\(Printable.escape("\(error)")).")
        }
    }
}
