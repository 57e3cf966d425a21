import MDFleet
import MDPlatform

/// `fleet accept`: lets a disputed host go on.
enum FleetAcceptVerb: Verb {
    static let name = ["fleet", "accept"]
    static let summary = "end the alarms of a host, and let it go on"
    static let usage = ["fleet accept HOST --reason TEXT"]
    static let accepts: GlobalOptions.Kinds = [.root]
    static let help = """
        For the centre of a fleet, after somebody has looked. Ends the alarms of a host, with a record in the centre's own
        log. A host in dispute goes on: the machine that spoke last as HOST is the right one from now on, because it was
        replaced, reinstalled or renamed, and its log is taken from the first record. What was kept of its log stays beside
        as hosts/HOST/log-ID, and what it sent meanwhile in hosts/HOST/disputed.

          --reason TEXT  why, for the record

        exit codes: 0 accepted; 2 wrong command line; 4 the centre knows no such host, or a file could not be written.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        guard let reason = try arguments.option("--reason"), !reason.isEmpty else {
            throw .usage("--reason is missing: it says why, for the record.", of: self)
        }
        let words = try arguments.files()
        guard words.count == 1, let host = FleetHost(words[0]) else {
            throw .usage("The name of one host is missing: a-z, 0-9, hyphen and dot, at most 64.", of: self)
        }
        let clock = try ReportTime.givenClock(context)
        let root = try context.root()
        do throws(SystemError) {
            try CentreOwner.assume(at: root)
        } catch {
            throw .of(error)
        }
        do throws(FleetFault) {
            let aside = try HostAcceptance.accept(host, reason: reason, now: clock ?? Clock.now(), at: root)
            try? context.console.line("\(host) goes on.")
            if let aside { try? context.console.line("What was kept of its log is \(Printable.escape(aside)).") }
        } catch {
            throw Failure(code: .inputOutput, message: "\(Printable.escape("\(error)")).")
        }
        return .success
    }
}
