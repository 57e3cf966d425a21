import Foundation
import MDTestSupport
import ManagedDefaults

/// Times refused writes, as a user's program makes them: with an audit service that reads, with none, and with one that
/// hangs; on one thread and on two.
struct RefusalBenchmark {
    /// The number of writes of each row.
    private static let writes = 100_000

    /// The machine.
    let lab: BenchmarkLab

    /// Prints a row for each case; the service of each case has a machine of its own.
    static func run() throws {
        print("set(_:forKey:) on a forced key, \(writes) writes on each thread, microseconds: median, 99th percentile")
        for service in Service.allCases {
            for threads in [1, 2] {
                for isEqual in [true, false] {
                    let lab = try BenchmarkLab(keyCount: 10)
                    defer { lab.remove() }
                    try RefusalBenchmark(lab: lab).measure(service, threads: threads, isEqual: isEqual)
                }
            }
        }
    }

    /// What listens.
    private enum Service: String, CaseIterable {
        /// A service that reads.
        case reads
        /// No service.
        case absent
        /// A service that never reads.
        case hangs
    }

    /// Times the writes of one case.
    private func measure(_ service: Service, threads: Int, isEqual: Bool) throws {
        let listener = service == .absent ? nil : try AuditListener(folder: lab.root)
        defer { listener?.stop() }
        if service == .reads { listener?.read() }
        let managed = try ManagedDefaults(root: lab.root, user: "user", application: lab.domain)
        guard case .refused = managed.set("first", forKey: "ForcedKey") else { throw BenchmarkLab.Failure.wrongValues }
        let groups = (0..<threads).map { thread in
            let result = Samples()
            Thread.detachNewThread {
                result.finish(RefusalBenchmark.times(managed, thread, isEqual: isEqual))
            }
            return result
        }
        let times = groups.flatMap { $0.wait() }.sorted()
        let name = "\(isEqual ? "equal" : "distinct"), \(threads) thread\(threads > 1 ? "s" : ""), service \(service)"
        print(
            Benchmarks.column(name, 40) + Benchmarks.number(times[times.count / 2] / 1_000, 8, digits: 2)
                + Benchmarks.number(times[times.count * 99 / 100] / 1_000, 8, digits: 2))
        // What waits is stored outside of the measurement.
        _ = managed.synchronize()
    }

    /// The nanoseconds of each write.
    private static func times(_ managed: ManagedDefaults, _ thread: Int, isEqual: Bool) -> [Double] {
        let texts = (0..<1_000).map { "a value of at most sixty-four bytes, number \($0) of \(thread)" }
        let clock = ContinuousClock()
        return (0..<writes).map { index in
            // Texts are made before; further numbers make them distinct.
            let start: ContinuousClock.Instant
            if isEqual {
                start = clock.now
                Benchmarks.blackHole(managed.set(texts[0], forKey: "ForcedKey"))
            } else if index % 2 == 0 {
                let text = texts[index / 2 % texts.count] + String(index)
                start = clock.now
                Benchmarks.blackHole(managed.set(text, forKey: "ForcedKey"))
            } else {
                start = clock.now
                Benchmarks.blackHole(managed.set(thread * writes + index, forKey: "ForcedKey"))
            }
            return Benchmarks.nanoseconds(clock.now - start)
        }
    }

    /// The result of a thread.
    private final class Samples: @unchecked Sendable {
        /// Signalled when it is there.
        private let done = DispatchSemaphore(value: 0)
        /// The nanoseconds; written once before the signal.
        private var times: [Double] = []

        /// Stores the result.
        func finish(_ times: [Double]) {
            self.times = times
            done.signal()
        }

        /// Waits for the result.
        func wait() -> [Double] {
            done.wait()
            return times
        }
    }
}
