import Glibc

/// Runs a function on a thread of its own, a short while after somebody asked, once for everybody who asked meanwhile.
///
/// There is no thread while nothing is asked for. The delay gathers changes; nothing depends on its length.
package final class DelayedWorker: Sendable {
    /// What the worker is doing.
    private struct State {
        /// Whether a run is asked for that has not begun.
        var isAsked = false
        /// Whether the thread lives.
        var isRunning = false
    }

    /// What the worker is doing.
    private let state = Guarded(State())
    /// The time between the asking and the run, in milliseconds.
    private let delay: Int
    /// The function that is run.
    private let work: @Sendable () -> Void

    /// Makes a worker without starting anything.
    package init(delayMilliseconds: Int, _ work: @escaping @Sendable () -> Void) {
        delay = delayMilliseconds
        self.work = work
    }

    /// Asks for a run.
    ///
    /// - Returns: whether a run will follow; false where the system grants no thread, so that the caller does the work.
    package func ask() -> Bool {
        let mustStart = state.withLock { state in
            state.isAsked = true
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard mustStart else { return true }
        guard start() else {
            state.withLock { $0 = State() }
            return false
        }
        return true
    }

    /// Starts the thread.
    private func start() -> Bool {
        var attributes = pthread_attr_t()
        guard unsafe pthread_attr_init(&attributes) == 0 else { return false }
        defer { unsafe _ = pthread_attr_destroy(&attributes) }
        unsafe _ = pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // The thread takes over this reference and gives it back when it has taken the worker from it.
        let worker = unsafe Unmanaged.passRetained(self)
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<DelayedWorker>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, worker.toOpaque())
        if code != 0 { unsafe worker.release() }
        return code == 0
    }

    /// Works until nobody asks any more.
    private func run() {
        repeat {
            _ = poll(nil, 0, Int32(clamping: delay))
            state.withLock { $0.isAsked = false }
            work()
        } while state.withLock { state in
            state.isRunning = state.isAsked
            return state.isRunning
        }
    }
}
