import MDEngine
import MDFleet
import MDPlatform
import MDPolicyStore
import MDPrograms
import MDTools

/// `fleet run`: what a host of a fleet sends to its centre.
enum FleetRunVerb: Verb {
    static let name = ["fleet", "run"]
    static let summary = "send what the fleet's centre does not have of this machine"
    static let usage = [
        "fleet run [--follow]",
        "fleet run --relay FOLDER [--key FILE] [--follow]",
        "fleet run --through FOLDER",
    ]
    static let accepts: GlobalOptions.Kinds = [.root]
    static let help = """
        For a machine with /etc/managed-defaults/fleet.json: asks the centre which records of the audit log it has, and
        sends those that follow, as they stand in the log, with a signed checkpoint; at most 1 MiB packed at a time, and the
        next ones once the centre has these. A status goes each 5 minutes and at each change, a report (as report --format
        json makes it, with what policy facts prints) at most each hour, if its content changed. A run with nothing to send changes nothing.

        What the centre says is believed only if its records are this machine's. If it has others, or more, the machine was
        set back: once a boot another log is begun, with a record of that. Where fleet.json has "ResetsAtBoot", a log is
        begun at each boot, and nothing is wrong. A machine that was copied from an enrolled one sends only that it is a copy.

        A centre with an address is asked by curl, with certificate.pem, key.pem and authority.pem of
        /etc/managed-defaults/fleet, or the files that fleet.json names.

          --follow          goes on until it is stopped: each minute, at a second that hosts do not share, and at once when
                            the centre says that it has news
          --relay FOLDER    the network part, which needs no right on the machine: fetches the centre's files into FOLDER,
                            asks root's part over the socket /run/managed-defaults/fleet.sock, and sends what that left in
                            FOLDER. The units managed-defaults-fleet run both parts so
          --key FILE        the key of the certificate, for the network part
          --through FOLDER  root's part: works with what the network part has in FOLDER, and connects to nothing

        exit codes: 0 done, or nothing to do; 1 something is for an administrator to look at, or this machine is in no
        fleet; 2 wrong command line; 4 the centre does not answer, or a file could not be read or written; 5 fleet.json
        does not parse, or others than root can write it.
        """

    /// The socket behind which the service manager starts root's part.
    private static let socket = "/run/managed-defaults/fleet.sock"
    /// How long root's part may take.
    private static let milliseconds = 600_000
    /// The code of a connection that the other side closed.
    private static let closed: Int32 = 104

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let follows = arguments.flag("--follow")
        let through = try arguments.option("--through").map { word throws(Failure) in try CallerPath.given(word) }
        let relay = try arguments.option("--relay").map { word throws(Failure) in try CallerPath.given(word) }
        let key = try arguments.option("--key").map { word throws(Failure) in try CallerPath.given(word) }
        try arguments.requireEnd()
        if through != nil, follows || relay != nil { throw .usage("--through goes with no other option.", of: self) }
        if key != nil, relay == nil { throw .usage("--key goes with --relay.", of: self) }
        let clock = try ReportTime.givenClock(context)
        let root = try context.root()
        guard let configuration = try configuration(of: root, context) else { return .no }
        var transport: any CentreTransport
        let turn: () throws(FleetFault) -> ExitCode
        do throws(FleetFault) {
            transport = try Transports.transport(to: configuration, of: root, key: key)
            if let relay {
                let part = try HostRelay(relay, of: configuration.host, to: transport)
                turn = { () throws(FleetFault) in
                    try part.turn { () throws(FleetFault) in try askRootPart(root) }
                    return .success
                }
            } else {
                if let through { transport = try ExchangeTransport(through, for: configuration.centre.name) }
                let way = transport
                turn = { () throws(FleetFault) in try send(configuration, root, over: way, clock, context) }
            }
        } catch {
            throw failure(error)
        }
        if relay == nil {
            try PolicyWriting.requirePermission(for: PolicyStore(root: root), to: "send to the fleet's centre")
        }
        guard follows else {
            do throws(FleetFault) {
                return try turn()
            } catch {
                throw failure(error)
            }
        }
        let schedule = HostSchedule(configuration.host, boot: Machine.bootID(root: root))
        while true {
            do throws(FleetFault) {
                _ = try turn()
            } catch {
                context.console.say(failure(error).message)
            }
            CurrentProcess.giveBackCode()
            schedule.wait(for: transport)
        }
    }

    /// Reads what the machine knows of its fleet; `nil` if it is in none, which is said.
    private static func configuration(of root: Root, _ context: Context) throws(Failure) -> FleetConfiguration? {
        do throws(FleetFault) {
            if let found = try FleetConfiguration.read(root) { return found }
        } catch {
            throw Failure(code: .badInput, message: "\(Printable.escape("\(error)")).")
        }
        let shown = Printable.escape(root.display(FleetConfiguration.path))
        context.console.say("This machine is in no fleet: there is no \(shown).")
        return nil
    }

    /// Runs one turn, and prints what it did.
    private static func send(
        _ configuration: FleetConfiguration, _ root: Root, over transport: any CentreTransport, _ clock: Timestamp?,
        _ context: Context
    ) throws(FleetFault) -> ExitCode {
        let lock = try HostLock(of: root)
        defer { withExtendedLifetime(lock) {} }
        var run = HostRun(root, configuration, over: transport, now: clock ?? Clock.now(), version: ToolVersion.current)
        {
            PolicyMachine(root: root, expanding: .commonSettings(of: root)).policy(at: clock)
        }
        let outcome = try run.run()
        for line in outcome.done { try? context.console.line(Printable.escape(line)) }
        try? context.console.flush()
        for problem in outcome.problems { context.console.say(Printable.escape(problem)) }
        return outcome.problems.isEmpty ? .success : .no
    }

    /// Lets the service manager start root's part, and waits for its end, which closes the connection.
    private static func askRootPart(_ root: Root) throws(FleetFault) {
        do throws(SystemError) {
            _ = try StreamConversation.hold(
                with: socket, under: root, sending: [], limit: 65_536, milliseconds: milliseconds, until: { _ in false }
            )
        } catch {
            guard error.code != closed else { return }
            throw FleetFault("root's part was not asked: \(error)")
        }
    }

    private static func failure(_ error: FleetFault) -> Failure {
        Failure(code: .inputOutput, message: "\(Printable.escape("\(error)")).")
    }
}
