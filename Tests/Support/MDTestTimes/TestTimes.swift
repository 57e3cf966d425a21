import Foundation
import MDTestSupport
import Synchronization
package import Testing

/// Measures the processor time of the tests of a suite.
///
/// The time of a test is what its own task took and what the programs took that it ran by `SpawnedProgram`, over all its
/// arguments. Threads and unstructured tasks that it started itself, exit tests and programs that the engine runs count
/// only in the sum.
package struct TestTimes: SuiteTrait, TestTrait, TestScoping {
    /// Suites give the trait to their tests.
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let sum = ProcessorTime.Sum()
        defer { TestTimes.add(sum.total, to: test) }
        try await withTaskExecutorPreference(TimedExecutor(sum)) {
            try await ProcessorTime.$children.withValue(sum) { try await function() }
        }
    }

    /// The times of tests, by name.
    private static let times = Mutex<[String: ProcessorTime]>([:])
    /// Prints at the end of the process, once.
    private static let printing: Void = { _ = atexit { TestTimes.report() } }()

    /// Adds to the time of a test.
    private static func add(_ time: ProcessorTime, to test: Test) {
        printing
        let name = test.id.description
        times.withLock { $0[name, default: ProcessorTime()] = $0[name, default: ProcessorTime()] + time }
    }

    /// Prints the ten tests that took most.
    private static func report() {
        let measured = times.withLock { $0 }
        let most = measured.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.prefix(10)
        let all = ProcessorTime.process
        var text = "Processor time: \(Int(all.seconds)) s. The tests that took most:\n"
        for (name, time) in most {
            text += String(format: "%8.1f s  ", time.seconds) + name + "\n"
        }
        fflush(nil)
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}

extension Trait where Self == TestTimes {
    /// Measures the processor time of each test; the run ends with those that took most.
    package static var timed: Self { TestTimes() }
}
