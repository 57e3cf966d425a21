import Foundation
import MDTestSupport

/// Runs the jobs of one test's task, and adds the processor time of each to a sum.
///
/// A thread serves many tests in turn while they wait, so its own time would say nothing of one of them.
final class TimedExecutor: TaskExecutor {
    /// The time of the jobs.
    private let sum: ProcessorTime.Sum

    /// Makes an executor without threads of its own.
    init(_ sum: ProcessorTime.Sum) {
        self.sum = sum
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        TestThreads.shared.run { [self] in
            let start = ProcessorTime.thread
            job.runSynchronously(on: asUnownedTaskExecutor())
            sum.add(ProcessorTime.thread - start)
        }
    }
}

/// Twice as many threads as there are processors, for the jobs of all tests.
///
/// Tests that start a program wait for it on their thread; meanwhile others use the processor.
private final class TestThreads: @unchecked Sendable {
    /// The threads of the process.
    static let shared = TestThreads()

    /// Guards the jobs; signalled for each one.
    private let condition = NSCondition()
    /// The jobs that wait, oldest first.
    private var jobs: [@Sendable () -> Void] = []

    /// Starts the threads.
    private init() {
        for _ in 0..<2 * max(2, ProcessInfo.processInfo.activeProcessorCount) {
            let thread = Thread { [unowned self] in serve() }
            // As much as the main thread has: tests parse deeply nested documents.
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    /// Runs a job when a thread is free.
    func run(_ job: @escaping @Sendable () -> Void) {
        condition.lock()
        jobs.append(job)
        condition.signal()
        condition.unlock()
    }

    /// Runs jobs, for the life of the process.
    private func serve() {
        while true {
            condition.lock()
            while jobs.isEmpty { condition.wait() }
            let job = jobs.removeFirst()
            condition.unlock()
            job()
        }
    }
}
