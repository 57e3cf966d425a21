import Foundation
import Glibc
import MDAuditClient
import MDPlatform
import MDTestSupport
import Synchronization

/// Times records that the audit service stores durably: each client sends a message, waits for the answer, sends the next.
///
/// A message has one attempt, or as many as a program sends at once that could not send them one by one. A program does not
/// wait for each message: with a third number, only the last of so many asks for an answer, which says that all are on disk.
/// `TMPDIR=/tmp swift run -c release managed-defaults-benchmarks service`, with a folder on a disk, prints the records of a
/// second, the wait for an answer and the processor time of the service for a record. A lone client writes and syncs as
/// many bytes itself after every third answer, so that both meet the disk and the processors in the same state.
/// After `service`, loads such as `64x1` or `64x1x16` measure only those numbers of clients, attempts in a message and
/// messages to an answer.
struct ServiceBenchmark {
    /// How long each number of clients is measured, in seconds.
    private static let seconds = 3.0
    /// What is measured.
    private static let loads = [
        Load(clients: 1), Load(clients: 16), Load(clients: 64), Load(clients: 200), Load(clients: 64, messages: 16),
        Load(clients: 1, attempts: 11), Load(clients: 64, attempts: 11),
    ]

    /// What clients do.
    private struct Load {
        /// Their number.
        var clients: Int
        /// The attempts in a message; one of 4,096 bytes holds no more than eleven of these.
        var attempts = 1
        /// The messages until a client waits for an answer.
        var messages = 1

        /// The records that an answer is about.
        var records: Int { attempts * messages }
    }

    /// Prints a row for each number of clients.
    ///
    /// - Parameter words: the loads as `CLIENTSxATTEMPTS` or `CLIENTSxATTEMPTSxMESSAGES`; all by default.
    /// - Throws: if the service does not begin, or an answer is not the expected one.
    static func run(_ words: ArraySlice<String>) throws {
        let chosen = words.map { $0.split(separator: "x").compactMap { Int($0) } }.filter { (2...3).contains($0.count) }
            .map { Load(clients: $0[0], attempts: $0[1], messages: $0.count > 2 ? $0[2] : 1) }
        let loads = chosen.isEmpty ? loads : chosen
        let machine = try TemporaryMachine(.pupil)
        try machine.write("out", "")
        let program = try SpawnedProgram(
            BuiltProgram.path("mdefaultsd"), ["--root", machine.path], environment: [:], folder: "/",
            streams: ("/dev/null", machine("out"), machine("out")))
        defer {
            program.send(SIGTERM)
            _ = try? program.code(within: 60)
        }
        let end = Date(timeIntervalSinceNow: 60)
        while (try? MessageSocket.connect(ServiceProtocol.socketPath, under: machine.root)) == nil {
            guard Date() < end else { throw BenchmarkLab.Failure.wrongValues }
            usleep(1_000)
        }
        print(
            "clients x attempts x messages   records/s   wait µs: median, 99th percentile   service µs/record   write and fdatasync µs"
                + "   wait / fdatasync")
        for load in loads {
            let start = try processorTime(of: program.id)
            let found = try ask(machine, load)
            let used = try processorTime(of: program.id) - start
            let waits = found.waits.sorted()
            let sync = found.syncs.isEmpty ? 0 : Benchmarks.median(found.syncs)
            print(
                Benchmarks.number(Double(load.clients), 7, digits: 0)
                    + Benchmarks.number(Double(load.attempts), 11, digits: 0)
                    + Benchmarks.number(Double(load.messages), 11, digits: 0)
                    + Benchmarks.number(Double(waits.count * load.records) / found.seconds, 12, digits: 0)
                    + Benchmarks.number(waits[waits.count / 2], 18, digits: 0)
                    + Benchmarks.number(waits[waits.count * 99 / 100], 17, digits: 0)
                    + Benchmarks.number(used * 1e6 / Double(waits.count * load.records), 20, digits: 1)
                    + (found.syncs.isEmpty
                        ? ""
                        : Benchmarks.number(sync, 25, digits: 0)
                            + Benchmarks.number(waits[waits.count / 2] / sync, 19, digits: 2)))
        }
    }

    /// The waits of all clients for each answer, and the times of a lone client's own syncs, in microseconds; and how long
    /// clients sent and waited, in seconds.
    private static func ask(
        _ machine: TemporaryMachine, _ load: Load
    ) throws -> (waits: [Double], syncs: [Double], seconds: Double) {
        let sockets = try (0..<load.clients).map { _ in
            ClientSocket(try MessageSocket.connect(ServiceProtocol.socketPath, under: machine.root))
        }
        let file = open(machine("sync"), O_CREAT | O_WRONLY | O_APPEND, 0o600)
        guard file >= 0 else { throw BenchmarkLab.Failure.wrongValues }
        defer { close(file) }
        let (stop, running) = (Flag(), DispatchGroup())
        let results = sockets.map { _ in Waits() }
        let began = Date()
        for (index, socket) in sockets.enumerated() {
            running.enter()
            Thread.detachNewThread {
                socket.converse(
                    of: index, load, to: results[index], sync: load.clients == 1 ? file : nil, until: stop)
                running.leave()
            }
        }
        Thread.sleep(forTimeInterval: seconds)
        stop.isSet.store(true, ordering: .relaxed)
        running.wait()
        let time = Date().timeIntervalSince(began)
        guard results.allSatisfy({ !$0.times.isEmpty }) else { throw BenchmarkLab.Failure.wrongValues }
        return (results.flatMap(\.times), results.flatMap(\.syncs), time)
    }

    /// The processor time that a process has used, in seconds.
    private static func processorTime(of process: Int32) throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
            throw BenchmarkLab.Failure.wrongValues
        }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Whether the clients are to end.
    private final class Flag: Sendable {
        let isSet = Atomic<Bool>(false)
    }

    /// The waits of one client; written by its thread before it leaves the group.
    private final class Waits: @unchecked Sendable {
        /// The waits for an answer.
        var times: [Double] = []
        /// The times of writes and their syncs.
        var syncs: [Double] = []
    }

    /// One client.
    private final class ClientSocket: Sendable {
        /// The connection.
        private let socket: MessageSocket

        /// Takes over a connection, and makes its calls wait.
        init(_ socket: consuming MessageSocket) {
            let raw = socket.raw
            _ = fcntl(raw, F_SETFL, fcntl(raw, F_GETFL) & ~O_NONBLOCK)
            self.socket = socket
        }

        /// Sends messages of attempts, all of them distinct, and notes the wait for each answer in microseconds; nothing if
        /// an answer is not the expected one.
        ///
        /// The clients run on the processors of the service, so each does as little as it can: it fills in the numbers of a
        /// message, sends it and waits in one call.
        func converse(of client: Int, _ load: Load, to waits: Waits, sync: Int32?, until stop: Flag) {
            var (times, syncs): ([Double], [Double]) = ([], [])
            times.reserveCapacity(100_000)
            // As many bytes as a stored record has.
            let line = [UInt8](repeating: 0x20, count: 573 * load.records)
            let begin = Array(
                (#"{"v":1,"kind":"override","src":"client","exe":"/usr/bin/benchmark","via":"set","#
                    + #""domain":"org.example.Browser","key":"HomePage","forced":"https://school.example/","#
                    + #""tried":"https://games.example/\#(client)/"#).utf8)
            let end = Array(
                (#"","policy":{"id":"org.example.school","#
                    + #""file":"/etc/managed-defaults/policies.d/10-school.json","line":12},"outcome":"refused"}"#
                    + "\n")
                    .utf8)
            var message: [UInt8] = []
            var answer = [UInt8](repeating: 0, count: ServiceProtocol.longestMessage)
            /// Sends a message whose attempts have a number that no other message has.
            func send(_ number: Int, asks: Bool) -> Bool {
                let text = String(number)
                message.removeAll(keepingCapacity: true)
                message += "MD1 ".utf8
                message += (asks ? text : "0").utf8
                message += " attempts 0\n".utf8
                for attempt in 0..<load.attempts {
                    message += begin
                    message += text.utf8
                    message.append(UInt8(ascii: "/"))
                    message += String(attempt).utf8
                    message += end
                }
                return Glibc.send(socket.raw, message, message.count, Int32(MSG_NOSIGNAL)) == message.count
            }
            var number = 0
            while !stop.isSet.load(ordering: .relaxed) {
                let start = PropagationBenchmark.now()
                for message in 1...load.messages {
                    number += 1
                    guard send(number, asks: message == load.messages) else { return }
                }
                let expected = Array("MD1 \(number) stored ".utf8)
                let length = recv(socket.raw, &answer, answer.count, 0)
                times.append((PropagationBenchmark.now() - start) / 1e3)
                guard length > expected.count, answer.starts(with: expected) else { return }
                guard let sync, times.count % 3 == 0 else { continue }
                let began = PropagationBenchmark.now()
                guard write(sync, line, line.count) == line.count, fdatasync(sync) == 0 else { return }
                syncs.append((PropagationBenchmark.now() - began) / 1e3)
            }
            // All of them are on disk, those that asked for no answer too.
            let all = number * load.attempts
            let question = Array("MD1 \(number + 1) health\n".utf8)
            guard Glibc.send(socket.raw, question, question.count, Int32(MSG_NOSIGNAL)) == question.count else {
                return
            }
            let length = max(recv(socket.raw, &answer, answer.count, 0), 0)
            guard answer[..<length].elementsEqual("MD1 \(number + 1) health \(all) \(all) 0\n".utf8) else { return }
            (waits.times, waits.syncs) = (times, syncs)
        }
    }
}
