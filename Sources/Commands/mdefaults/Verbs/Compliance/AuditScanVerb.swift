import MDAuditClient
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDReport
import MDTools

/// `audit scan`: looks for stored values that a forced value hides or a constraint does not allow.
enum AuditScanVerb: Verb {
    static let name = ["audit", "scan"]
    static let summary = "find stored values that forced values hide, and record them"
    static let usage = ["audit scan [--user NAME] [--observed] [--json]", "audit scan --watch"]
    static let help = """
        Looks at the preference files of every user whom a report covers, or of NAME, for values that a forced value hides
        or a constraint does not allow: a program that never asks the library may have stored them. Each home is read as
        the user whose it is. Nothing in a home is changed.

        A value that is found for the first time is recorded in the audit log (kind override, src scan, outcome hidden or
        clamped, via file; the note names the file), and is not recorded again while it stays; digests in
        /var/lib/managed-defaults/scan.register say which ones are. What was gone and came back is recorded again. A value
        that equals the forced one hides nothing. Of one user at most 1024 values are recorded one by one; the number of
        the others is recorded with kind drop. Only root, or the owner of the folder of --root, can scan.

        With --watch it looks at the preference folders of users who have a session (/run/systemd/users), opens no file in
        them, and scans what a user has stored in a second after it changed, and when the session begins and ends, until it
        is interrupted. The scan of a user waits for ten times as long as the last one of that user took of a processor, or
        waited for a home that does not answer. With --observed the records say so (src observed). A folder across a mount
        beneath the home, and a home that /proc/self/mountinfo does not show on a local disk, are scanned at the begin and
        the end of the session only. It also tells the audit service (the user mdefaultsd) which program a process runs,
        over /run/managed-defaults/exe.sock; without that, records have what the process says of itself (src claim).

        A scan of all users also makes the indexes and the tallies that full segments of the log lack.

        JSON: {"users","findings":[{"user","domain","key","file","value","sensitive":bool,"new":bool,"outcome",
        "origin":{"policy","file","line","column"}}],"problems":[sentence]}
        "users" counts the homes that were read. The value of a sensitive key is missing.

        exit codes: 0 nothing was found; 1 values were found, or a home could not be read; 2 wrong command line; 4 not
        permitted, policy is unknown, or findings could not be recorded.
        """
    static let accepts: GlobalOptions.Kinds = [.root, .json, .user]

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let isWatch = arguments.flag("--watch")
        let isObserved = arguments.flag("--observed")
        try arguments.requireEnd()
        let root = try context.root()
        guard PolicyStore(root: root).mayWrite else {
            throw Failure(
                code: .inputOutput,
                message: "Only root, or the owner of the folder of --root, can look at what every user has stored.")
        }
        if isWatch { return try watch(root, context) }
        let machine = try context.machine()
        try context.requireKnownPolicy()
        let only = context.options.user == nil ? nil : try context.account()
        let scan = StoredValueScan.scan(homesOf: machine, only: only, source: isObserved ? .observed : .scan)
        // Segments end between changes of policy, too.
        if only == nil { _ = SegmentIndexes(root: root)?.renew(most: indexesAtOnce) }
        if context.options.json {
            try context.print(document(of: scan, root))
        } else {
            for finding in scan.findings {
                for line in Layout.fold(Printable.escape(text(of: finding, root))) {
                    try context.console.line(line)
                }
            }
        }
        for problem in scan.problems { context.console.say(problem) }
        if let failure = scan.failure { throw Failure(code: .inputOutput, message: failure) }
        return scan.findings.isEmpty && scan.problems.isEmpty ? .success : .no
    }

    /// The most indexes of segments of the log that one run makes; each takes about half a second.
    private static let indexesAtOnce = 32
    /// The pause after a look at what changed, as a multiple of its time: a user who changes files without a pause gets no
    /// more.
    private static let pause: Int64 = 9
    /// The longest such pause, in microseconds, so that what others change is scanned within moments.
    private static let longestPause: Int64 = 200_000

    /// Scans the stored values of users whenever they change, each time in another process.
    private static func watch(_ root: Root, _ context: Context) throws(Failure) -> ExitCode {
        do throws(SystemError) {
            let stop = try StopSignal.ofTheProcess()
            let programs = programs(of: root, context)
            defer { programs?.end() }
            let (watch, scans) = (try SessionWatch(root: root), try SessionScans(of: root))
            let poller = try Poller()
            for raw in [stop.raw, watch.raw, scans.raw] { try poller.add(raw) }
            var schedule = ScanSchedule()
            // What was only counted is recorded in any case, also what a watch counted that was killed.
            var counted: Int64? = Clock.monotonicMicroseconds()
            defer { recordCounts(root, context, isLast: true) }
            while true {
                let begin = Clock.monotonicMicroseconds()
                schedule.change(try watch.advance(), at: begin)
                for problem in watch.takeProblems() { context.console.say(problem) }
                for outcome in scans.takeOutcomes() {
                    schedule.end(outcome.uid, cost: outcome.cost, at: begin)
                    if let problem = outcome.problem { context.console.say(problem) }
                    counted = counted ?? begin + countInterval
                }
                if let moment = counted, moment <= begin {
                    counted = recordCounts(root, context, isLast: false) ? begin + countInterval : nil
                }
                for uid in schedule.begin(at: begin) { scans.begin(uid) }
                let now = Clock.monotonicMicroseconds()
                Clock.pause(microseconds: min((now - begin) * pause, longestPause))
                let events = poller.wait(milliseconds: patience(schedule, counted))
                if events.contains(where: { $0.raw == stop.raw }) { return .success }
            }
        } catch {
            throw .of(error)
        }
    }

    /// How long to wait for something to happen, in milliseconds; `nil` for no limit.
    private static func patience(_ schedule: ScanSchedule, _ counted: Int64?) -> Int? {
        let now = Clock.monotonicMicroseconds()
        return [schedule.patience(at: now), counted.map { Int(max($0 - now, 0) / 1_000) + 1 }].compactMap(\.self).min()
    }

    /// The time between looks for what the log did not take, in microseconds.
    private static let countInterval: Int64 = 12_000_000

    /// Records what of the findings the log did not take, as far as that is due.
    ///
    /// - Returns: whether something is left.
    @discardableResult
    private static func recordCounts(_ root: Root, _ context: Context, isLast: Bool) -> Bool {
        do throws(AuditError) {
            return try AuditLog(root: root).append(charged: [], isLast: isLast).hasCounts
        } catch {
            context.console.say("What the log did not take of users' stored values could not be recorded: \(error).")
            return true
        }
    }

    /// Tells the audit service which program a process runs; `nil` if there is no service, or it cannot be informed.
    private static func programs(of root: Root, _ context: Context) -> ProgramPathServer? {
        guard let user = ProgramPathServer.user(of: root) else { return nil }
        do throws(SystemError) {
            let programs = try ProgramPathServer.listen(root: root, user: user)
            if programs.start() { return programs }
            context.console.say("The audit service is not told which programs run: there is no thread for it.")
            programs.end()
        } catch {
            context.console.say("The audit service is not told which programs run: \(error).")
        }
        return nil
    }

    /// A finding as a line.
    private static func text(of finding: StoredValueScan.Finding, _ root: Root) -> String {
        let value = finding.isSensitive ? ValueText.sensitive : ValueText.line(finding.value.value)
        let origin = finding.origin
        let reason = if case .constrained = finding.cause { "not allowed by" } else { "hidden by" }
        return
            "\(finding.isNew ? "new    " : "known  ") \(finding.account.name)  \(finding.value.domain) \(finding.key) = "
            + "\(value)  in \(root.display(finding.value.file)), \(reason) \(origin.policy) "
            + "(\(root.display(origin.file)):\(origin.position.line))"
    }

    /// The result as JSON.
    private static func document(of scan: StoredValueScan, _ root: Root) -> JSONWriter {
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.field("users", scan.users)
        json.member("findings")
        json.beginArray()
        for finding in scan.findings {
            json.beginObject()
            json.field("user", finding.account.name)
            json.field("domain", finding.value.domain.string)
            json.field("key", finding.key.string)
            json.field("file", root.display(finding.value.file))
            if !finding.isSensitive { json.field("value", finding.value.value) }
            json.field("sensitive", finding.isSensitive)
            json.field("new", finding.isNew)
            json.field("outcome", finding.outcome.rawValue)
            json.origin(finding.origin, in: root)
            json.endObject()
        }
        json.endArray()
        json.member("problems")
        json.beginArray()
        for problem in scan.problems { json.string(problem) }
        json.endArray()
        json.endObject()
        return json
    }
}
