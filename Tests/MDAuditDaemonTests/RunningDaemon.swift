import Foundation
import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDTestSupport
import MDTools

@testable import MDAuditDaemon

/// The built `mdefaultsd`, which serves a machine in a folder.
final class RunningDaemon {
    /// The machine.
    let machine: TemporaryMachine
    /// The process.
    let program: SpawnedProgram

    /// Starts the program, and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - machine: the machine.
    ///   - front: a command in front of it.
    /// - Throws: if it does not start.
    init(_ machine: TemporaryMachine, behind front: [String] = []) throws {
        self.machine = machine
        try machine.write("out", "")
        try machine.write("err", "")
        let words = front + [BuiltProgram.path("mdefaultsd"), "--root", machine.path]
        program = try SpawnedProgram(
            words[0], Array(words.dropFirst()), environment: ["PATH": "/usr/bin:/bin"], folder: "/",
            streams: (input: "/dev/null", output: machine("out"), error: machine("err")))
        try RunningDaemon.waitUntilReady(machine, program)
    }

    /// Connects.
    func client() throws -> Client { try Client(machine.root) }

    /// Ends the program by a signal, and waits for its end.
    ///
    /// - Returns: the exit code; negative for the signal that ended it.
    func end(_ signal: Int32 = SIGTERM) throws -> Int32 {
        program.send(signal)
        return try program.code(within: 300)
    }

    /// Waits until a service accepts connections.
    private static func waitUntilReady(_ machine: TemporaryMachine, _ program: SpawnedProgram) throws {
        let end = Date(timeIntervalSinceNow: 300)
        while (try? Client(machine.root)) == nil {
            guard Date() < end, kill(program.id, 0) == 0 else {
                throw ClientFailure(description: "The daemon did not start: \((try? machine.text("err")) ?? "")")
            }
            usleep(1_000)
        }
    }
}

/// A service on a thread of the tests, with limits of its own.
final class ServiceThread: @unchecked Sendable {
    /// The request to end.
    private let stop: StopSignal
    /// Signalled when the service has ended.
    private let ended = DispatchSemaphore(value: 0)
    /// Why it did not begin; written before `begun` is signalled.
    private var failure: String?

    /// Starts a service, and waits until it listens.
    init(_ root: Root, _ limits: ServiceLimits) throws {
        let (stop, begun) = (try StopSignal(), DispatchSemaphore(value: 0))
        self.stop = stop
        Thread.detachNewThread { [self] in
            do {
                let service = try AuditService.open(root: root, limits: limits, stop: stop)
                begun.signal()
                service.run()
            } catch {
                failure = "\(error)"
                begun.signal()
            }
            ended.signal()
        }
        begun.wait()
        if let failure { throw ClientFailure(description: failure) }
    }

    /// Ends the service, and waits for its end.
    func end() {
        stop.stop()
        ended.wait()
    }
}
