import Foundation

/// Runs one row against one subject, each process in the row's own home.
struct RowRun {
    /// The row.
    private let row: Row
    /// The library that it is run against.
    private let subject: Subject
    /// The home of the run.
    private let home: Home
    /// The driver under the application's name.
    private let program: String
    /// The processes by their letter.
    private var processes: [String: Conversation] = [:]
    /// How long an answer may take; only a hang meets it.
    private static let answerLimit = 60.0

    /// Prepares a run.
    ///
    /// - Parameters:
    ///   - row: the row.
    ///   - subject: the library that it is run against.
    ///   - program: the subject's driver, under the application's name.
    /// - Throws: if the home cannot be made.
    init(_ row: Row, against subject: Subject, program: String) throws {
        self.row = row
        self.subject = subject
        let isLowered = row.isUnprivileged && geteuid() == 0
        home = try Home(for: row, of: subject, owner: isLowered ? RowRun.nobody : (geteuid(), getegid()))
        self.program = program
    }

    /// The user of rows that must not run as root.
    private static let nobody: (user: uid_t, group: gid_t) = (65534, 65534)

    /// Runs the steps until the first that does not pass.
    mutating func run() -> Verdict {
        defer { processes = [:] }
        if subject == .gnustep, row.files.contains(where: { $0.kind == .host }) {
            return .missing("preferences of one host")
        }
        for step in row.steps {
            let answer = seen(step)
            if step.expectation.accepts(answer) { continue }
            if case .missing(let member) = answer { return .missing(member) }
            return .failed("line \(step.line): \(step.request): \(answer)")
        }
        return .passed
    }

    /// What a step shows; an awaited one is repeated until it passes or patience ends.
    private mutating func seen(_ step: Step) -> Answer {
        let patience = row.patience ?? (subject.isOurs ? 30 : 3)
        let end = ContinuousClock.now + .seconds(patience)
        while true {
            let answer = perform(step)
            guard step.isAwaited, !step.expectation.accepts(answer), ContinuousClock.now < end else { return answer }
            // Whatever the subject does by itself may need its run loop.
            for name in processes.keys.sorted() {
                guard case .done = ask("pause", process: name) else { return answer }
            }
        }
    }

    /// Does one step, in the runner or in the driver.
    private mutating func perform(_ step: Step) -> Answer {
        do {
            var reader = WireReader(step.request)
            switch try reader.word() {
            case "quit":
                processes.removeValue(forKey: step.process)?.finish()
                return .done("")
            case "kill":
                processes.removeValue(forKey: step.process)?.stop()
                return .done("")
            case "afresh":
                guard case .integer(let count) = try reader.value() else { return .failed("The step has no number.") }
                let request = reader.rest
                for _ in 0..<count {
                    let answer = ask(request, process: step.process)
                    guard step.expectation.accepts(answer) else { return answer }
                    processes.removeValue(forKey: step.process)?.finish()
                }
                return ask(request, process: step.process)
            case "lock", "unlock":
                home.setWritable(step.request == "unlock")
                return .done("")
            case "file":
                guard case .string(let domain) = try reader.value(), let place = home.place(of: domain) else {
                    return .failed("The step names no domain.")
                }
                try home.replace(place, with: try reader.value())
                return .done("")
            case "stored":
                guard case .string(let domain) = try reader.value(), case .string(let key) = try reader.value() else {
                    return .failed("The step names no domain and key.")
                }
                return .value(home.stored(key, in: domain))
            default: return ask(step.request, process: step.process)
            }
        } catch {
            return .failed("\(error)")
        }
    }

    /// Asks a process, which is started with the first question.
    private mutating func ask(_ request: String, process name: String) -> Answer {
        do {
            let process = try processes[name] ?? start(name)
            processes[name] = process
            return try process.ask(
                request.replacing("$USER", with: userName), within: RowRun.answerLimit)
        } catch {
            processes[name] = nil
            return .failed("\(error)")
        }
    }

    /// Starts a driver in the home.
    private func start(_ name: String) throws -> Conversation {
        var environment = [
            "PATH": "/usr/bin:/bin", "LANG": "C", "HOME": home.path + "/home/alice",
            "GNUSTEP_CONFIG_FILE": home.path + "/etc/GNUstep.conf",
            "CONFORMANCE_PATIENCE": subject.isOurs ? "30" : "3",
        ]
        if row.isMachine { environment["CONFORMANCE_ROOT"] = home.path }
        var words = [program] + (name == "A" ? row.arguments : [])
        if row.isUnprivileged, geteuid() == 0 {
            words = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + words
        }
        return try Conversation(words, environment: environment, errors: home.path + "/errors")
    }

    /// The name of the account that the row runs as.
    private var userName: String {
        if row.isMachine, subject == .managed { return "alice" }
        let uid = row.isUnprivileged && geteuid() == 0 ? RowRun.nobody.user : geteuid()
        guard let entry = getpwuid(uid) else { return String(uid) }
        return String(cString: entry.pointee.pw_name)
    }
}

/// What a run of a row came to.
package enum Verdict: Sendable, Equatable {
    /// Everything was seen as the sentence says.
    case passed
    /// Something else was seen; the text says at which line and what.
    case failed(String)
    /// The subject has no member that the row needs.
    case missing(String)
}
