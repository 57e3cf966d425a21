import Glibc

/// A lock for the fields of one final class.
///
/// ``Guarded`` is shorter to use, but the runtime instantiates its generic type when it is first used, which costs a
/// short command more than all work under the lock. Types that every process creates at start use this class instead.
///
/// A `pthread_mutex`, because the thread sanitizer supports it and not `Synchronization.Mutex`.
@safe
package final class Lock: @unchecked Sendable {
    /// The lock, on the heap, because its address must never change.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Creates an unlocked lock.
    package init() {
        // The memory is owned by this object, initialised here and given back in `deinit` only.
        unsafe mutex = UnsafeMutablePointer.allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        _ = unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        // No thread holds the lock any more: a thread that holds it keeps this object alive.
        _ = unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Waits until no other thread holds the lock, and acquires it.
    ///
    /// The calling thread must not hold it already.
    package func acquire() {
        // The lock is valid for as long as this object is.
        _ = unsafe pthread_mutex_lock(mutex)
    }

    /// Acquires the lock unless another thread holds it for longer than a few microseconds; never sleeps and makes no
    /// system call.
    ///
    /// - Returns: whether it was acquired.
    package func tryToAcquire() -> Bool {
        for _ in 0..<Lock.tries {
            // The lock is valid for as long as this object is.
            if unsafe pthread_mutex_trylock(mutex) == 0 { return true }
        }
        return false
    }

    /// How often ``tryToAcquire()`` tries: about 5 microseconds.
    private static let tries = 500

    /// Gives the lock back; called by the thread that holds it.
    package func release() {
        // The lock is valid for as long as this object is.
        _ = unsafe pthread_mutex_unlock(mutex)
    }
}

/// State that several threads share, behind a lock.
package final class Guarded<State>: @unchecked Sendable {
    /// The lock.
    private let lock = Lock()
    /// The protected state; accessed in `withLock` only.
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

    /// Runs with the state unless another thread has it for longer than a few microseconds; never sleeps.
    ///
    /// - Returns: the result; `nil` if another thread had the state.
    package func tryWithLock<Result>(_ body: (inout sending State) -> sending Result) -> sending Result? {
        guard lock.tryToAcquire() else { return nil }
        // The lock is given back on every way out.
        defer { lock.release() }
        return body(&state)
    }
}

/// State that several threads share, behind a lock, with a way to wait for a condition on the state: ``Guarded`` with a
/// condition variable.
@safe
final class Monitor<State>: @unchecked Sendable {
    /// The lock, on the heap, because its address must never change.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// Signalled after every access to the state.
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    /// The protected state; accessed while the lock is held only.
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
        // No thread holds the lock or waits any more: such a thread keeps this object alive.
        _ = unsafe pthread_cond_destroy(condition)
        unsafe condition.deallocate()
        _ = unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Calls a function with exclusive access to the state, then wakes all waiting threads; must not be called from
    /// within.
    func withLock<Result>(_ body: (inout sending State) -> sending Result) -> sending Result {
        // Lock and condition are valid for as long as this object is; the lock is given back on every way out.
        _ = unsafe pthread_mutex_lock(mutex)
        defer {
            _ = unsafe pthread_cond_broadcast(condition)
            _ = unsafe pthread_mutex_unlock(mutex)
        }
        return body(&state)
    }

    /// Waits until the state satisfies a condition.
    func wait(until isReached: (State) -> Bool) {
        // As in `withLock`; pthread_cond_wait releases the lock while it waits.
        _ = unsafe pthread_mutex_lock(mutex)
        while !isReached(state) { _ = unsafe pthread_cond_wait(condition, mutex) }
        _ = unsafe pthread_mutex_unlock(mutex)
    }
}
