import Foundation
import MDTestSupport
import ManagedDefaults

/// Times the first read of a process: opening, reading files and policy, one lookup.
///
/// `swift run -c release managed-defaults-benchmarks cold` prints microseconds; each figure is of a new process.
struct ColdStartBenchmark {
    /// The sizes of the domains.
    static let keyCounts = [10, 1_000, 10_000]
    /// The processes of each side and size; the median counts.
    static let rounds = 41

    /// The machine.
    let lab: BenchmarkLab

    /// Starts processes of both sides in turn and prints a row for each size.
    func run() throws {
        print("opening and first read in a new process, µs, median of \(ColdStartBenchmark.rounds), in turn")
        print("keys                            ManagedDefaults    Foundation   ratio     GNUstep   ratio")
        for count in ColdStartBenchmark.keyCounts {
            let domain = try write(count)
            var times: (ours: [Double], theirs: [Double]) = ([], [])
            for _ in 0..<ColdStartBenchmark.rounds {
                times.ours.append(try time("managed", domain))
                times.theirs.append(try time("foundation", domain))
            }
            let (one, other) = (Benchmarks.median(times.ours), Benchmarks.median(times.theirs))
            var row = Benchmarks.column("\(count)", 32) + Benchmarks.number(one, 15) + Benchmarks.number(other, 14)
            row += Benchmarks.number(other / one, 8) + "x"
            if let figure = Benchmarks.gnustep["cold-\(count)"] {
                row += Benchmarks.number(figure / 1_000, 11) + Benchmarks.number(figure / 1_000 / one, 8) + "x"
            }
            print(row)
        }
    }

    /// Writes a domain of so many keys.
    func write(_ count: Int) throws -> String {
        let domain = "org.example.cold-\(count)"
        let values = Dictionary(uniqueKeysWithValues: (0..<count).map { ("Key\($0)", "value \($0)") })
        let settings = try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
        try settings.write(to: URL(fileURLWithPath: lab.configuration + "/\(domain).plist"))
        return domain
    }

    /// The figure of one new process.
    private func time(_ side: String, _ domain: String) throws -> Double {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        let environment = ["XDG_CONFIG_HOME": lab.configuration, "HOME": lab.root]
        let result = try SpawnedProgram.run(
            program, ["--measure-cold", lab.root, side, domain], environment: environment)
        guard let figure = Double(result.output) else { throw BenchmarkLab.Failure.wrongValues }
        return figure
    }

    /// Measures in a new process, and prints microseconds.
    static func measure(root: String, side: String, domain: String) throws {
        let clock = ContinuousClock()
        let start = clock.now
        let value: String?
        var managed: ManagedDefaults?
        if side == "managed" {
            managed = try ManagedDefaults(root: root, user: "user", application: domain)
            value = managed?.string(forKey: "Key7")
        } else {
            value = UserDefaults(suiteName: domain)?.string(forKey: "Key7")
        }
        let time = Benchmarks.nanoseconds(clock.now - start) / 1_000
        // Giving the object back is no part of a start.
        withExtendedLifetime(managed) {}
        guard value == "value 7" else { throw BenchmarkLab.Failure.wrongValues }
        print(time, terminator: "")
    }
}
