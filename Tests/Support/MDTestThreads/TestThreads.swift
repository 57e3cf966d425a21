import Foundation

/// Twice as many threads as there are processors for the jobs of tests, in place of Swift's own pool, which has as many.
///
/// Tests that start a program wait for it on their thread; meanwhile others use the processor.
private final class TestThreads: TaskExecutor, @unchecked Sendable {
    /// The threads of the process.
    static let shared = TestThreads()

    /// Guards the jobs; signalled for each one.
    private let condition = NSCondition()
    /// The jobs that wait, oldest first.
    private var jobs: [UnownedJob] = []

    /// Starts the threads.
    private init() {
        for _ in 0..<2 * max(2, ProcessInfo.processInfo.activeProcessorCount) {
            let thread = Thread { [unowned self] in serve() }
            // As much as the main thread has: tests parse deeply nested documents.
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    func enqueue(_ job: consuming ExecutorJob) { run(UnownedJob(job)) }

    /// Runs a job when a thread is free.
    func run(_ job: UnownedJob) {
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
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

/// A function that the runtime calls in place of its own pool.
private typealias Hook = @convention(thin) (UnownedJob, @convention(thin) (UnownedJob) -> Void) -> Void

/// Sets the hook of the runtime.
private func install() {
    guard let hook = dlsym(dlopen(nil, RTLD_NOW), "swift_task_enqueueGlobal_hook") else { return }
    hook.assumingMemoryBound(to: Hook?.self).pointee = { job, _ in TestThreads.shared.run(job) }
}

/// A function that the loader calls, so that no suite has to ask for the threads.
@section(".init_array") @used private let start: @convention(c) () -> Void = { install() }
