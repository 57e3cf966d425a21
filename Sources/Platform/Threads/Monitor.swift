import Glibc

/// State that several threads share, behind a lock, with a way to wait until the state is such and such.
///
/// `Guarded` with a condition variable.
@safe
final class Monitor<State>: @unchecked Sendable {
    /// The lock, at an address of its own that never moves.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// Told of every change that somebody may wait for.
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    /// What the lock protects; touched while it is held only.
    private var state: State

    /// Puts state behind a new lock.
    init(_ state: sending State) {
        self.state = state
        // Both are owned by this object, initialised here and given back in `deinit` only.
        unsafe mutex = UnsafeMutablePointer.allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        _ = unsafe pthread_mutex_init(mutex, nil)
        unsafe condition = UnsafeMutablePointer.allocate(capacity: 1)
        unsafe condition.initialize(to: pthread_cond_t())
        _ = unsafe pthread_cond_init(condition, nil)
    }

    deinit {
        // Nobody holds the lock or waits any more: whoever does keeps this object alive.
        _ = unsafe pthread_cond_destroy(condition)
        unsafe condition.deallocate()
        _ = unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs with the state while no other thread does, then wakes whoever waits; must not be called from within.
    func withLock<Result>(_ body: (inout sending State) -> sending Result) -> sending Result {
        // Lock and condition are valid for as long as this object is; the lock is given back on every way out.
        _ = unsafe pthread_mutex_lock(mutex)
        defer {
            _ = unsafe pthread_cond_broadcast(condition)
            _ = unsafe pthread_mutex_unlock(mutex)
        }
        return body(&state)
    }

    /// Waits until the state is as asked for.
    func wait(until isReached: (State) -> Bool) {
        // As in `withLock`; the condition is waited for with the lock held, which it gives back meanwhile.
        _ = unsafe pthread_mutex_lock(mutex)
        while !isReached(state) { _ = unsafe pthread_cond_wait(condition, mutex) }
        _ = unsafe pthread_mutex_unlock(mutex)
    }
}
