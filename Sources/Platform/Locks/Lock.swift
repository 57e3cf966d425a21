import Glibc

/// A lock for the fields of one final class.
///
/// ``Guarded`` is shorter to use. But each of its types is made while the process runs, which costs a short command more
/// than all it does with the lock; what every process makes when it starts has a lock and fields of its own.
///
/// A `pthread_mutex`, because the thread sanitizer understands it and not `Synchronization.Mutex`.
@safe
package final class Lock: @unchecked Sendable {
    /// The lock, at an address of its own that never moves.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Makes a lock that nobody holds.
    package init() {
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

    /// Waits until no other thread holds the lock, and takes it; must not be called by the thread that holds it.
    package func acquire() {
        // The lock is valid for as long as this object is.
        _ = unsafe pthread_mutex_lock(mutex)
    }

    /// Gives the lock back; called by the thread that holds it.
    package func release() {
        // The lock is valid for as long as this object is.
        _ = unsafe pthread_mutex_unlock(mutex)
    }
}
