import Foundation
import MDAuditClient
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport

/// A machine in a folder with an audit service, senders that stay, and senders that are killed.
final class Trial {
    /// The folder.
    private let folder: String
    /// The machine.
    private let root: Root
    /// When no round begins any more.
    private let end: Date
    /// The number of senders that stay.
    private let clients: Int
    /// Chance.
    private var random: SplitMix
    /// The service.
    private var service: SpawnedProgram?
    /// The number of processes so far.
    private var processes = 0
    /// What makes the file system full, if it is a small one.
    private let filler: String
    /// What was done, for people.
    private var (killedSenders, killedServices, fillings) = (0, 0, 0)
    /// The most attempts that may be in no account, because their senders and the service were killed together.
    ///
    /// They are those of messages that the service had not read. Only the `gap` of its end says so.
    private var unknown = 0
    /// When that was.
    private var togetherTime: Timestamp?
    /// The attempts that senders certainly, and at most, handed over.
    private var (least, most) = (0, 0)
    /// The attempts that senders said they could record nowhere.
    private var unrecorded = 0

    /// Makes the machine.
    init(folder: String, seconds: Double, clients: Int, seed: UInt64?) throws {
        (self.folder, self.clients) = (folder, clients)
        for name in ["etc", "home/pupil", "var/log", "run", "tallies"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
        let passwd = "pupil:x:\(getuid()):\(getgid())::/home/pupil:/bin/sh\n"
        try passwd.write(toFile: "\(folder)/etc/passwd", atomically: false, encoding: .utf8)
        root = try Root(directory: folder)
        end = Date(timeIntervalSinceNow: seconds)
        let seed = seed ?? UInt64.random(in: 0...UInt64.max)
        random = SplitMix(state: seed)
        filler = "\(folder)/var/filler"
        print("seed \(seed)")
    }

    /// Whether `var` is a file system of its own that is small enough to fill.
    private var isTiny: Bool {
        var (own, above) = (stat(), stat())
        guard stat("\(folder)/var", &own) == 0, stat(folder, &above) == 0 else { return false }
        return own.st_dev != above.st_dev
    }

    /// Runs rounds until the time is over, and compares the sums.
    func run() throws -> Bool {
        try start()
        let staying = try (0..<clients).map { _ in try sender("library") }
        while Date() < end {
            switch Int.random(in: 0..<(isTiny ? 4 : 3), using: &random) {
            case 0: try killSenders()
            case 1: try killService()
            case 2: usleep(UInt32.random(in: 1_000...200_000, using: &random))
            default: try fill()
            }
        }
        try? FileManager.default.removeItem(atPath: filler)
        // A log that fills its file system leaves the counts in the service's counters, which are no part of the sums.
        if isTiny { try enlarge() }
        // Once, and only in some trials, because it makes the sums less exact.
        if random.next() % 4 == 0 { try killTogether() }
        for sender in staying { sender.program.send(SIGTERM) }
        for sender in staying {
            let code = try sender.program.code(within: 300)
            guard code == 0 else { throw TrialFailure(description: "A sender ended with \(code).") }
            let (begun, done) = try numbers(sender.tally)
            (least, most) = (least + done, most + done)
            if begun != done { unrecorded += begun - done }
        }
        service?.send(SIGTERM)
        let code = try service?.code(within: 300)
        guard code == 0 else { throw TrialFailure(description: "The service ended with \(code ?? -1).") }
        return try compare()
    }

    /// Starts the service, and waits until it listens.
    private func start() throws {
        let output = "\(folder)/service.\(killedServices)"
        try Data().write(to: URL(fileURLWithPath: output))
        let limit = Date(timeIntervalSinceNow: 300)
        /// Starts a process, in a session of its own, whose share of the processors is its own as that of a unit is:
        /// beside hundreds of senders that never pause it would otherwise answer after minutes.
        func spawn() throws -> SpawnedProgram {
            try SpawnedProgram(
                "/usr/bin/setsid", [BuiltProgram.path("mdefaultsd"), "--root", folder], environment: [:], folder: "/",
                streams: ("/dev/null", output, output))
        }
        let program = try spawn()
        while (try? MessageSocket.connect(ServiceProtocol.socketPath, under: root)) == nil {
            let hasEnded = Trial.hasEnded(program)
            let text = hasEnded ? (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" : ""
            guard Date() < limit, !hasEnded else {
                throw TrialFailure(description: "The service does not listen. \(text)")
            }
            usleep(1_000)
        }
        service = program
    }

    /// Whether a program has ended; it remains to be waited for.
    private static func hasEnded(_ program: SpawnedProgram) -> Bool {
        var info = siginfo_t()
        return waitid(P_PID, id_t(program.id), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_signo == SIGCHLD
    }

    /// Starts a sender.
    private func sender(_ kind: String) throws -> (program: SpawnedProgram, tally: String) {
        processes += 1
        let tally = "\(folder)/tallies/\(processes)"
        try Data(count: 16).write(to: URL(fileURLWithPath: tally))
        let output = "\(folder)/sender.\(processes)"
        try Data().write(to: URL(fileURLWithPath: output))
        let program = try SpawnedProgram(
            BuiltProgram.path("conservation"), ["client", folder, tally, "\(random.next() >> 1)", kind],
            environment: [:],
            folder: "/", streams: ("/dev/null", output, output))
        return (program, tally)
    }

    /// The numbers of a tally: begun and done.
    private func numbers(_ tally: String) throws -> (Int, Int) {
        let data = try Data(contentsOf: URL(fileURLWithPath: tally))
        let words = data.withUnsafeBytes {
            [$0.loadUnaligned(as: Int.self), $0.loadUnaligned(fromByteOffset: 8, as: Int.self)]
        }
        return (words[0], words[1])
    }

    /// A sender of messages, with its connection, which stays open here.
    private final class Victim {
        /// The connection.
        let socket: MessageSocket
        /// The process and its tally.
        var process: (program: SpawnedProgram, tally: String)?

        /// Connects, so that the process inherits the connection.
        init(_ root: Root) throws {
            socket = try MessageSocket.connect(ServiceProtocol.socketPath, under: root)
            _ = fcntl(socket.raw, F_SETFD, 0)
        }

        /// The memory of the messages that the service has not read, in bytes.
        var unread: Int32 {
            var count: Int32 = 0
            return ioctl(socket.raw, UInt(TIOCOUTQ), &count) == 0 ? count : 0
        }

        /// Waits until the service has taken all that was sent: it answers in order.
        func waitForService(until limit: Date) throws {
            let question = ServiceRequest(number: 1, .identity).encoded
            while true {
                let code = socket.sendIfPossible(question.span)
                // The service closes connections only after it has read them to the end.
                if code == 0 { break }
                if code == EPIPE || code == ECONNRESET { return }
                guard Date() < limit else { throw TrialFailure(description: "The service does not read.") }
                usleep(1_000)
            }
            while true {
                switch socket.receive(limit: ServiceProtocol.longestMessage) {
                case .message, .closed: return
                case .tooLong, .nothing: break
                }
                guard Date() < limit else { throw TrialFailure(description: "The service does not answer.") }
                _ = socket.wait(milliseconds: 1_000)
            }
        }
    }

    /// Runs senders for a moment, kills them, and waits until the service has taken what they sent.
    private func killSenders() throws {
        let victims = try killedVictims()
        let limit = Date(timeIntervalSinceNow: 120)
        for victim in victims { try victim.waitForService(until: limit) }
    }

    /// Kills senders and the service together.
    private func killTogether() throws {
        let victims = try killedVictims()
        // More messages than are waiting now are not waiting later; the service may have one in its hands.
        let messages = victims.reduce(1) { $0 + Int($1.unread) / Trial.leastMemoryOfMessage }
        unknown += messages * mostAttemptsOfMessage
        togetherTime = Clock.now()
        try killService()
    }

    /// The least memory that the kernel counts for a message, in bytes.
    private static let leastMemoryOfMessage = 768

    /// Runs senders for a moment, and kills them.
    private func killedVictims() throws -> [Victim] {
        let victims = try (0..<Int.random(in: 1...4, using: &random)).map { _ in try Victim(root) }
        for victim in victims { victim.process = try sender("\(victim.socket.raw)") }
        usleep(UInt32.random(in: 5_000...150_000, using: &random))
        for victim in victims {
            guard let process = victim.process else { continue }
            process.program.send(SIGKILL)
            _ = try process.program.code(within: 60)
            let (begun, done) = try numbers(process.tally)
            (least, most) = (least + done, most + begun)
            killedSenders += 1
        }
        return victims
    }

    /// Kills the service and starts the next one.
    private func killService() throws {
        service?.send(SIGKILL)
        _ = try service?.code(within: 60)
        killedServices += 1
        usleep(UInt32.random(in: 0...50_000, using: &random))
        try start()
    }

    /// Fills the file system, or makes room again.
    private func fill() throws {
        if FileManager.default.fileExists(atPath: filler) { return try FileManager.default.removeItem(atPath: filler) }
        let file = open(filler, O_WRONLY | O_CREAT, 0o600)
        let bytes = [UInt8](repeating: 0, count: 4_096)
        while write(file, bytes, bytes.count) > 0 {}
        close(file)
        fillings += 1
    }

    /// Makes the file system large enough for what is still to be recorded.
    private func enlarge() throws {
        let result = try SpawnedProgram.run("/usr/bin/mount", ["-o", "remount,size=64m", "\(folder)/var"])
        guard result.code == 0 else { throw TrialFailure(description: "There is no more room. \(result.error)") }
    }

    /// Compares what was handed over with what the log and the spool have.
    private func compare() throws -> Bool {
        var (stored, dropped): (Int, [String: Int]) = (0, [:])
        /// Adds a record.
        func add(_ record: AuditRecord) {
            if record.kind == .override { stored += record.count ?? 1 }
            guard record.kind == .drop else { return }
            dropped[record.note?.split(separator: ":").first.map(String.init) ?? "", default: 0] += record.count ?? 0
        }
        let reading = try AuditLog(root: root).records()
        for record in reading.records { add(record) }
        let state = "\(folder)/home/pupil/.local/state/managed-defaults"
        for name in ["spool.jsonl", "spool-dropped.jsonl"] {
            let text = (try? String(contentsOfFile: "\(state)/\(name)", encoding: .utf8)) ?? ""
            for line in text.split(separator: "\n") { add(try AuditRecord(line: Array(line.utf8))) }
        }
        let all = stored + dropped.values.reduce(0, +)
        let isGapDeclared = reading.records.contains { record in
            guard let end = record.last, let time = togetherTime else { return false }
            return record.kind == .gap && end >= time
        }
        let verification = AuditVerifier.verify(root: root)
        print(
            "killed \(killedSenders) senders and \(killedServices) services, filled the disk \(fillings) times: sent "
                + "\(least) to \(most), unknown at most \(unknown), stored \(stored), not stored \(dropped.sorted { $0.key < $1.key }), in all \(all)"
        )
        print("verify: \(verification.status), \(verification.detail)")
        return ((least - unknown)...most).contains(all) && reading.problems.isEmpty
            && (togetherTime == nil || isGapDeclared)
            && [.intact, .gaps].contains(verification.status)
    }
}
