import Foundation
import MDPlatform
import MDPolicyCore
import MDTestSupport
import ManagedDefaults

/// Times how long a change on the disk takes until a running application observes it.
///
/// `swift run -c release managed-defaults-benchmarks propagation` prints milliseconds.
struct PropagationBenchmark {
    /// The folder that everything lies in.
    let folder: String

    /// The changes of each kind; the median counts.
    private static let rounds = 41

    /// Nanoseconds of a clock that never goes back, the same in every process.
    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    /// Measures everything.
    func run() throws {
        print("a change on the disk until a running application is told, ms, median and longest of \(Self.rounds)")
        try measure("a policy file") { machine in
            try times(
                of: try machine.application(), key: "Key7", to: machine.policyFile
            ) { machine.policy(value: $0) }
        }
        try measure("a policy file, by the service") { machine in
            let service = try Service(machine)
            defer { service.end() }
            return try times(
                of: try machine.application(), key: "Key7", to: machine.policyFile
            ) { machine.policy(value: $0) }
        }
        try measure("a moment, by the service") { machine in
            let service = try Service(machine)
            defer { service.end() }
            return try momentTimes(machine)
        }
        try measure("a default") { machine in
            let defaults = try machine.application()
            defaults.set("first", forKey: "Setting")
            guard defaults.synchronize() else { throw BenchmarkLab.Failure.wrongValues }
            return try times(of: defaults, key: "Setting", to: try machine.settingsFile()) { value in
                try PropertyListSerialization.data(fromPropertyList: ["Setting": value], format: .xml, options: 0)
            }
        }
        let peer = DconfPeer(folder: folder + "/dconf")
        if let time = try peer.propagationTime() {
            print(Benchmarks.column("dconf update", 30) + Benchmarks.number(time, 15))
        } else {
            print("dconf update is not measured: no libdconf, nobody compiled DconfBenchmark, or no root")
        }
    }

    /// Makes a machine, measures one kind of change on it, and prints the figures.
    private func measure(_ name: String, _ measure: (PolicyBenchmarkMachine) throws -> [Double]) throws {
        let machine = try PolicyBenchmarkMachine(folder: folder, keys: 20, files: 1, tenth: false)
        defer { machine.remove() }
        try machine.compile()
        try FileManager.default.createDirectory(
            atPath: machine.path + "/home/alice", withIntermediateDirectories: true)
        let times = try measure(machine)
        print(
            Benchmarks.column(name, 30) + Benchmarks.number(Benchmarks.median(times), 15)
                + Benchmarks.number(times.max() ?? 0, 15))
    }

    /// Milliseconds between the moment at which a file gets its name and the one at which an observer is called.
    ///
    /// - Parameters:
    ///   - defaults: the running application.
    ///   - key: the key that changes.
    ///   - path: the file.
    ///   - content: its content with a value of the key.
    /// - Returns: the time of each change.
    /// - Throws: if a file cannot be written, or no observer is called.
    private func times(
        of defaults: ManagedDefaults, key: String, to path: String, content: (String) throws -> Data
    ) throws -> [Double] {
        let told = Told()
        let observation = defaults.observeChanges(forKey: key) { change in
            told.note(change.value as? String, at: PropagationBenchmark.now())
        }
        var times: [Double] = []
        // The first change only shows that the application watches by now.
        for round in 0...PropagationBenchmark.rounds {
            let value = "value of round \(round)"
            // Beside the watched folders, so that nothing but the new name is a change.
            let temporary = folder + "/new"
            try content(value).write(to: URL(fileURLWithPath: temporary))
            var old = stat()
            guard stat(path, &old) == 0, chown(temporary, old.st_uid, old.st_gid) == 0 else {
                throw BenchmarkLab.Failure.wrongValues
            }
            // Two changes within one tick of the kernel's clock would have the same time.
            usleep(30_000)
            let start = PropagationBenchmark.now()
            guard rename(temporary, path) == 0, let end = told.time(of: value) else {
                throw BenchmarkLab.Failure.wrongValues
            }
            if round > 0 { times.append((end - start) / 1e6) }
        }
        withExtendedLifetime(observation) {}
        return times
    }

    /// Milliseconds between a moment at which a policy file begins to apply and the call of an observer.
    private func momentTimes(_ machine: PolicyBenchmarkMachine) throws -> [Double] {
        let (told, file) = (Told(), machine.policyFile.replacingOccurrences(of: "1000.json", with: "2000.json"))
        let defaults = try machine.application()
        let observation = defaults.observeChanges(forKey: "Key7") { change in
            told.note(change.value as? String, at: Double(Clock.nanoseconds()))
        }
        var times: [Double] = []
        for round in 0..<PropagationBenchmark.moments {
            let value = "value of moment \(round)"
            let moment = Timestamp(microseconds: Clock.now().microseconds + 1_500_000)
            let text = """
                { "Identifier": "org.example.moment", "Target": { "NotBefore": "\(moment.rfc3339)" },
                  "Forced": { "org.example.d0": { "Key7": "\(value)" } } }
                """
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            // As it is on a machine: the file is recorded long before its time comes.
            try machine.compile()
            guard let end = told.time(of: value) else { throw BenchmarkLab.Failure.wrongValues }
            times.append((end - Double(moment.microseconds) * 1_000) / 1e6)
        }
        withExtendedLifetime(observation) {}
        return times
    }

    /// The number of moments.
    private static let moments = 21

    /// The audit service of a machine.
    private final class Service {
        /// The program.
        private let program: SpawnedProgram

        /// Starts it, and waits until it vouches for policy.
        init(_ machine: PolicyBenchmarkMachine) throws {
            program = try SpawnedProgram(
                BuiltProgram.path("mdefaultsd"), ["--root", machine.path], environment: [:], folder: "/",
                streams: ("/dev/null", "/dev/null", "/dev/null"))
            let end = Date(timeIntervalSinceNow: 60)
            while !GenerationFile.isHeld(root: machine.root) {
                guard Date() < end else { throw BenchmarkLab.Failure.wrongValues }
                usleep(1_000)
            }
        }

        /// Ends it.
        func end() {
            program.send(SIGTERM)
            _ = try? program.code(within: 60)
        }
    }

    /// The changes that an observer received, with their times.
    private final class Told: @unchecked Sendable {
        /// Guards the rest.
        private let condition = NSCondition()
        /// The last value.
        private var value: String?
        /// The time of the call.
        private var time = 0.0

        /// Adds a change.
        func note(_ value: String?, at time: Double) {
            condition.lock()
            (self.value, self.time) = (value, time)
            condition.broadcast()
            condition.unlock()
        }

        /// Waits for a value; `nil` if it never comes.
        func time(of expected: String) -> Double? {
            let end = Date(timeIntervalSinceNow: 60)
            condition.lock()
            defer { condition.unlock() }
            while value != expected {
                guard condition.wait(until: end) else { return nil }
            }
            return time
        }
    }
}
