import Foundation

/// Times whole processes, from their start to their end, that open an application's defaults and read one key.
///
/// `Tests/Benchmarks/run whole` compiles one program that links ManagedDefaults, and one that links Foundation, both
/// statically, and names them.
struct WholeProcessBenchmark {
    /// The program of ManagedDefaults, and that of Foundation.
    let programs: [String]

    /// The processes of each side and size.
    private static let rounds = 41

    /// Starts processes of both sides in turn and prints a row for each size, then the sizes of the programs.
    func run() throws {
        guard programs.count == 2 else { throw BenchmarkLab.Failure.wrongValues }
        print("whole processes, µs, least and median of \(WholeProcessBenchmark.rounds), in turn; ratio of the medians")
        print("keys                           least ManagedDefaults      least  Foundation     ratio")
        for count in ColdStartBenchmark.keyCounts {
            let lab = try BenchmarkLab(keyCount: 0)
            defer { lab.remove() }
            let domain = try ColdStartBenchmark(lab: lab).write(count)
            let environment = ["XDG_CONFIG_HOME=\(lab.configuration)", "HOME=\(lab.root)"]
            var times: [[Double]] = [[], []]
            for _ in 0..<WholeProcessBenchmark.rounds {
                for (side, program) in programs.enumerated() {
                    times[side].append(try time([program, lab.root, domain], environment))
                }
            }
            let medians = times.map(Benchmarks.median)
            print(
                Benchmarks.column("\(count)", 28) + Benchmarks.number(times[0].min() ?? 0, 8)
                    + Benchmarks.number(medians[0], 16) + Benchmarks.number(times[1].min() ?? 0, 11)
                    + Benchmarks.number(medians[1], 12) + Benchmarks.number(medians[0] / medians[1], 9, digits: 2))
        }
        let sizes = try programs.map { path in
            try FileManager.default.attributesOfItem(atPath: path)[.size] as? Double ?? 0
        }
        print(
            Benchmarks.column("size, stripped, MB", 28) + Benchmarks.number(sizes[0] / 1e6, 24)
                + Benchmarks.number(sizes[1] / 1e6, 23) + Benchmarks.number(sizes[0] / sizes[1], 9, digits: 2))
    }

    /// Microseconds of one process.
    private func time(_ words: [String], _ environment: [String]) throws -> Double {
        var process = pid_t()
        var arguments = words.map { strdup($0) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        let clock = ContinuousClock()
        let start = clock.now
        var status: Int32 = 0
        guard posix_spawn(&process, words[0], nil, nil, &arguments, &variables) == 0,
            waitpid(process, &status, 0) == process, status == 0
        else { throw BenchmarkLab.Failure.wrongValues }
        return Benchmarks.nanoseconds(clock.now - start) / 1_000
    }
}
