import Glibc

/// State that several threads share, behind a lock.
///
/// A `pthread_mutex`, because the thread sanitizer understands it and not `Synchronization.Mutex`.
@safe
package final class Guarded<State>: @unchecked Sendable {
    /// The lock, at an address of its own that never moves.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// What the lock protects; touched in `withLock` only.
    private var state: State

    /// Puts state behind a new lock.
    package init(_ state: sending State) {
        self.state = state
        // The memory is owned by this object, initialised here and given back in `deinit` only.
        unsafe mutex = UnsafeMutablePointer.allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        _ = unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        // Nobody can hold the lock any more: whoever does keeps this object alive.
        _ = unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs with the state while no other thread does; must not be called again from within.
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        // The lock is valid for as long as this object is, and is given back on every way out.
        _ = unsafe pthread_mutex_lock(mutex)
        defer { _ = unsafe pthread_mutex_unlock(mutex) }
        return try body(&state)
    }
}
