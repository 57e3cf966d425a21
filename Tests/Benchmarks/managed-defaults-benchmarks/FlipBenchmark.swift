import Foundation
import MDPlatform
import MDTestSupport
import ManagedDefaults

/// How long after a boundary running programs see what it changes.
///
/// `swift run -c release managed-defaults-benchmarks flips` puts a boundary into every second for a while, has one program
/// and then many observe them, and prints milliseconds from the whole second to the observer's call.
struct FlipBenchmark {
    /// The boundaries of a round, one a second.
    static let boundaries = 20
    /// The rounds: programs at the same time, and keys of other policy beside the boundaries'.
    static let rounds = [(programs: 1, keys: 0), (1, 10_000), (16, 0), (64, 0)]

    /// Runs the rounds one after the other and prints a row for each.
    static func run() throws {
        print("from a boundary at a whole second to an observer's call, ms, \(boundaries) boundaries a program")
        print("programs, other keys           flips      min   median      p99      max")
        for (programs, keys) in rounds {
            let times = try round(programs: programs, keys: keys).sorted()
            let figures = [
                times[0], times[times.count / 2], times[min(times.count - 1, times.count * 99 / 100)],
                times[times.count - 1],
            ]
            print(
                Benchmarks.column("\(programs), \(keys)", 28) + Benchmarks.number(Double(times.count), 8)
                    + figures.map { Benchmarks.number($0 / 1_000, 9) }.joined())
        }
    }

    /// The latencies of all flips that all programs of a round saw, in microseconds.
    private static func round(programs: Int, keys: Int) throws -> [Double] {
        let lab = try BenchmarkLab(keyCount: 10)
        defer { lab.remove() }
        let policies = lab.root + "/etc/managed-defaults/policies.d"
        if keys > 0 {
            let entries = (0..<keys).map { "\"Key\($0)\": \($0)" }.joined(separator: ", ")
            try write(
                "{ \"Identifier\": \"org.example.other\", \"Forced\": { \"org.example.other\": { \(entries) } } }",
                to: policies + "/20-other.json")
        }
        // Time to start for all of them.
        let first = Clock.now().microseconds / 1_000_000 + 3 + Int64(programs / 8)
        for number in 0..<boundaries {
            let time = Timestamp(microseconds: (first + Int64(number)) * 1_000_000)
            try write(
                """
                { "Identifier": "org.example.flip\(number)", "Target": { "NotBefore": "\(time.rfc3339)" },
                  "Forced": { "\(lab.domain)": { "Flip\(number)": true } } }
                """, to: policies + "/\(30 + number)-flip.json")
        }
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        let running = try (0..<programs).map { number in
            let output = "\(lab.root)/\(number).out"
            try Data().write(to: URL(fileURLWithPath: output))
            let running = try SpawnedProgram(
                program, ["--flips", lab.root, "\(first)"], environment: ["HOME": lab.root], folder: "/",
                streams: (input: "/dev/null", output: output, error: output))
            return (running, output)
        }
        return try running.flatMap { program, output in
            guard try program.code(within: 120) == 0 else { throw BenchmarkLab.Failure.wrongValues }
            return try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").compactMap { Double($0) }
        }
    }

    /// Writes a file.
    private static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    /// Observes every flip in one of the programs, and prints how late each came, in microseconds.
    static func observe(root: String, first: Int64) throws {
        let lab = BenchmarkLab(root: root)
        let defaults = try ManagedDefaults(root: lab.root, user: "user", application: lab.domain)
        let seen = DispatchSemaphore(value: 0)
        let times = Guarded<[Int64]>([])
        let observations = (0..<boundaries).map { number in
            defaults.observeChanges(forKey: "Flip\(number)") { change in
                guard change.isForced else { return }
                let late = Clock.now().microseconds - (first + Int64(number)) * 1_000_000
                times.withLock { $0.append(late) }
                seen.signal()
            }
        }
        // A program that starts after the first boundary would not report it.
        guard !defaults.objectIsForced(forKey: "Flip0") else { throw BenchmarkLab.Failure.wrongValues }
        for _ in 0..<boundaries where seen.wait(timeout: .now() + 60) == .timedOut {
            throw BenchmarkLab.Failure.wrongValues
        }
        for time in times.withLock({ $0 }) { print(time) }
        withExtendedLifetime(observations) {}
    }
}
