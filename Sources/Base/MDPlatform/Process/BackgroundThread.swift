import Glibc
import MDCPlatform
import Synchronization

/// Starts detached threads that do not keep the process from ending.
///
/// They block all signals except those of their own faults, so that the application's threads receive them.
package enum BackgroundThread {
    /// Carries a function to its thread.
    private final class Body {
        /// The function.
        let run: @Sendable () -> Void

        /// Wraps a function.
        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Starts a thread that is never waited for.
    ///
    /// - Parameters:
    ///   - name: the name that debuggers show; at most 15 bytes.
    ///   - body: the work of the thread.
    /// - Returns: whether the system grants one.
    package static func run(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        start(name, body) != nil
    }

    /// Lets other threads run first, such as those that the calling one just woke.
    package static func giveWay() { _ = sched_yield() }

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - name: the name that debuggers show; at most 15 bytes.
    ///   - body: the work of the thread.
    /// - Returns: the thread; `nil` if the system grants none.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> pthread_t? {
        // The thread takes ownership of this reference and releases it after reading the function.
        let reference = unsafe Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        // The C function copies the name; the thread writes nothing to `thread`.
        let code = unsafe cplatform_start_thread(
            &thread, name,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, reference.toOpaque())
        if code == 0 { return thread }
        unsafe reference.release()
        return nil
    }
}

/// The calling thread.
package enum CurrentThread {
    /// A number that no other living thread of the process has; never 0.
    package static var id: UInt { UInt(pthread_self()) }
}

/// Runs a function on its own thread, a short delay after a request, once for all requests made meanwhile.
///
/// There is no thread without a request. The delay collects changes; correctness does not depend on its length. In a
/// child process that fork(2) made, the worker has no thread and starts one at the next request.
package final class DelayedWorker: Sendable {
    /// The state of the worker in one word, so that no lock can stay held in a forked child.
    ///
    /// The process id above two bits: whether there is a request whose run has not begun, and whether the thread lives.
    private let state = Atomic<UInt64>(0)
    /// The time between the asking and the run, in milliseconds.
    private let delay: Int
    /// The function that is run.
    private let work: @Sendable () -> Void

    /// There is a request whose run has not begun.
    private static let asked: UInt64 = 1
    /// The thread lives.
    private static let running: UInt64 = 2

    /// Makes a worker without starting anything.
    package init(delayMilliseconds: Int, _ work: @escaping @Sendable () -> Void) {
        delay = delayMilliseconds
        self.work = work
    }

    /// Requests a run.
    ///
    /// - Returns: whether a run will follow; false if the system grants no thread, so that the caller must do the work
    ///   itself.
    package func ask() -> Bool {
        let here = UInt64(UInt32(bitPattern: CurrentProcess.pid)) << 2
        let before = replace { $0 & ~3 == here ? $0 | DelayedWorker.asked | DelayedWorker.running : here | 3 }
        if before & ~3 == here, before & DelayedWorker.running != 0 { return true }
        // The thread retains the worker until it ends.
        if BackgroundThread.start("defaults-save", { self.run() }) != nil { return true }
        state.store(here, ordering: .sequentiallyConsistent)
        return false
    }

    /// Works until there is no further request.
    private func run() {
        var isAsked = true
        while isAsked {
            Clock.pause(microseconds: Int64(clamping: delay) * 1_000)
            _ = replace { $0 & ~DelayedWorker.asked }
            work()
            isAsked =
                replace { $0 & DelayedWorker.asked != 0 ? $0 : $0 & ~DelayedWorker.running } & DelayedWorker.asked != 0
        }
    }

    /// Changes the word in one step.
    ///
    /// - Returns: what it was.
    private func replace(_ change: (UInt64) -> UInt64) -> UInt64 {
        var old = state.load(ordering: .sequentiallyConsistent)
        while true {
            let (exchanged, original) = state.compareExchange(
                expected: old, desired: change(old), ordering: .sequentiallyConsistent)
            if exchanged { return original }
            old = original
        }
    }
}
