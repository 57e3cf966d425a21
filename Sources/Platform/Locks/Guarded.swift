/// State that several threads share, behind a lock.
package final class Guarded<State>: @unchecked Sendable {
    /// The lock.
    private let lock = Lock()
    /// What the lock protects; touched in `withLock` only.
    private var state: State

    /// Puts state behind a new lock.
    package init(_ state: sending State) {
        self.state = state
    }

    /// Runs with the state while no other thread does; must not be called again from within.
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock.acquire()
        // The lock is given back on every way out.
        defer { lock.release() }
        return try body(&state)
    }
}
