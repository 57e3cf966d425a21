import MDFleet
import MDPlatform
import MDPropertyList
import MDTools

/// `fleet collect`: takes what the hosts of a fleet sent to its centre.
enum FleetCollectVerb: Verb {
    static let name = ["fleet", "collect"]
    static let summary = "take what hosts sent to this centre, check it, and acknowledge it"
    static let usage = ["fleet collect [--follow] [--json]"]
    static let accepts: GlobalOptions.Kinds = [.root, .json]
    static let help = """
        For the centre of a fleet, as the user mdefaults-centre, which root becomes. Takes the batches, statuses and reports
        in its folder in, compares records that are here already, appends the others to hosts/HOST/log, checks the root
        of each checkpoint, and its signature where the centre has the host's public key, and writes to ack/HOST what is on
        disk. A host that contradicts what is here is in dispute: nothing more is taken of it until fleet accept, what it sent
        is in hosts/HOST/disputed, and the other hosts go on. Each contradiction is a line of alarms.jsonl.

        hosts/HOST/facts is what the last report has for fleet publish and policy diff --hosts: what policy facts prints there.
        hosts/HOST/log is a copy of that host's log: mdefaults --root …/hosts/HOST audit verify, list, prove and report work
        on it.

          --follow  go on with each file that arrives, until SIGTERM or SIGINT; a round each minute if the folder cannot be
                    watched

        JSON: {"hosts","batches","records","repeated","unknown","waiting":[text],"problems":[text],
        "alarms":[{"time","host","word","dispute","sentence"}]}; with --follow a document a line for each round that had
        something to do.

        exit codes: 0 done, also if alarms were raised; 1 something could not be taken; 2 wrong command line; 4 a file could
        not be read or written, or another collector works.
        """

    /// The longest wait for a file, in milliseconds: what a watch may have missed.
    private static let pause = 60_000

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let follows = arguments.flag("--follow")
        try arguments.requireEnd()
        let clock = try ReportTime.givenClock(context)
        let root = try context.root()
        do throws(SystemError) {
            try CentreOwner.assume(at: root)
            guard follows else {
                let result = try Collector.run(root, now: clock ?? Clock.now())
                do throws(Failure) { try say(result, context) } catch { return error.code }
                return result.problems.isEmpty ? .success : .no
            }
            // Before any thread, which would get the signals.
            let stop = try StopSignal.ofTheProcess()
            let poller = try Poller()
            try poller.add(stop.raw)
            let events = try? DirectoryEvents()
            if let events { try poller.add(events.raw) }
            var isWatched = false
            while true {
                if let events, !isWatched, let folder = try? Root(directory: root.display(CentreFolder.spool)) {
                    isWatched = (try? events.add(folder)) != nil
                }
                let result = try Collector.run(root, now: clock ?? Clock.now())
                if result.isWorthSaying {
                    do throws(Failure) {
                        try say(result, context)
                        try context.console.flush()
                    } catch { return error.code }
                }
                // What a round itself removed is no news, and what arrived meanwhile is found by the wait that follows.
                if poller.wait(milliseconds: pause).contains(where: { $0.raw == stop.raw }) { return .success }
                if let changes = try events?.changes(), changes.contains(where: { $0.name.isEmpty }) {
                    isWatched = false
                }
            }
        } catch {
            throw .of(error)
        }
    }

    /// Prints what came of a round.
    private static func say(_ result: CollectorRound, _ context: Context) throws(Failure) {
        if context.options.json {
            var json = JSONWriter()
            json.beginObject()
            json.field("hosts", result.hosts)
            json.field("batches", result.batches)
            json.field("records", result.records)
            json.field("repeated", result.repeated)
            json.field("unknown", result.unknown)
            for (name, sentences) in [("waiting", result.waiting), ("problems", result.problems)] {
                json.field(name, .array(sentences.map { .string($0) }))
            }
            json.member("alarms")
            json.beginArray()
            for alarm in result.alarms { alarm.write(to: &json) }
            json.endArray()
            json.endObject()
            try context.print(json)
            return
        }
        for alarm in result.alarms {
            try context.console.line("alarm, \(alarm.word.rawValue): \(Printable.escape(alarm.sentence))")
        }
        for sentence in result.waiting { try context.console.line("waits: \(Printable.escape(sentence)).") }
        for sentence in result.problems { context.console.say("\(Printable.escape(sentence)).") }
        if result.unknown > 0 {
            context.console.say(
                "\(Plural.count(result.unknown, "file")) in \(CentreFolder.spool) \(result.unknown == 1 ? "has a name" : "have names") "
                    + "that no host sends.")
        }
        try context.console.line(
            "\(Plural.count(result.hosts, "host")): \(Plural.count(result.records, "record")) stored, \(result.repeated) "
                + "compared.")
    }
}
