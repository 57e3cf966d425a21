import Foundation
import Glibc
import MDAuditClient
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport
import MDTools

/// The most attempts in one message of a sender that sends messages.
let mostAttemptsOfMessage = 5

/// A process that makes attempts, and leaves in a file how many, whenever it is killed.
struct Sender {
    /// The machine.
    private let root: Root
    /// The file: the number of attempts that were begun, and of those that were handed over, eight bytes each.
    private let tally: Int32
    /// Chance.
    private var random: SplitMix

    /// Makes a sender.
    init(folder: String, tally: String, seed: UInt64) throws {
        root = try Root(directory: folder)
        self.tally = open(tally, O_WRONLY | O_CREAT, 0o600)
        random = SplitMix(state: seed)
        guard self.tally >= 0 else { throw TrialFailure(description: "The tally cannot be written.") }
    }

    /// Notes a number; one write of eight bytes is there or not.
    private func note(_ number: Int, at place: Int) {
        var number = number
        guard pwrite(tally, &number, 8, off_t(place * 8)) == 8 else { exit(2) }
    }

    /// Makes attempts until a signal: as programs do (`library`), or by messages over a connection that it inherited.
    mutating func run(_ kind: String) throws -> Int32 {
        let stop = try StopSignal.ofTheProcess()
        var entry = pollfd(fd: stop.raw, events: Int16(POLLIN), revents: 0)
        /// Whether the process is to end.
        func isOver() -> Bool { poll(&entry, 1, 0) > 0 }
        return kind == "library" ? attempt(until: isOver) : send(over: Int32(kind) ?? -1, until: isOver)
    }

    /// Attempts by the channel that applications use; some are equal.
    private mutating func attempt(until isOver: () -> Bool) -> Int32 {
        let reporter = AuditReporter(
            root: root, stateDirectory: "/home/pupil/.local/state/managed-defaults")
        let channel = AttemptChannel(reporter)
        channel.tell(opened: ["org.example.app"])
        var record = AuditRecord(kind: .override, src: .client)
        (record.via, record.outcome, record.domain, record.key) = (.set, .refused, "org.example.app", "Key")
        let attempt = PreparedAttempt(record, forced: .integer(0), isSecret: false) { false }
        var number = 0
        while !isOver() {
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                number += 1
                note(number, at: 0)
                channel.record(attempt, .integer(Bool.random(using: &random) ? number : number % 7))
            }
            usleep(UInt32.random(in: 0...3_000, using: &random))
        }
        // What waits, and every count.
        _ = channel.flush()
        for problem in channel.takeProblems() { print(problem) }
        number -= channel.unrecorded
        note(number, at: 1)
        return 0
    }

    /// Sends messages that want no answer.
    private mutating func send(over socket: Int32, until isOver: () -> Bool) -> Int32 {
        let line = Client.line(seed: Int.random(in: 0..<1_000_000, using: &random))
        var (begun, sent) = (0, 0)
        while !isOver() {
            let count = Int.random(in: 1...mostAttemptsOfMessage, using: &random)
            // Some are equal.
            let lines = (0..<count).map { line(begun + $0 % 3) }
            let message = ServiceRequest(number: 0, .attempts(lines, unsent: 0)).encoded
            begun += count
            note(begun, at: 0)
            while Glibc.send(socket, message, message.count, Int32(MSG_NOSIGNAL)) < 0 {
                guard errno == EAGAIN else { return 3 }
                var entry = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, 1_000)
            }
            sent += count
            note(sent, at: 1)
        }
        return 0
    }
}

/// The lines of attempts.
private enum Client {
    /// Makes the lines of one sender, which differ by a number.
    static func line(seed: Int) -> (Int) -> [UInt8] {
        { number in
            var record = AuditRecord(kind: .override, src: .client)
            (record.via, record.outcome, record.domain, record.key) = (.set, .refused, "org.example.app", "Key")
            record.tried = ValueSummary(.string("\(seed)/\(number)"))
            return record.encoded(isForService: true)
        }
    }
}
