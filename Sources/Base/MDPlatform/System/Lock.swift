import Glibc
import Synchronization

/// A lock for the fields of one final class.
///
/// ``Guarded`` is shorter to use, but the runtime instantiates its generic type when it is first used, which costs a
/// short command more than all work under the lock. Types that every process creates at start use this class instead.
///
/// A child that fork(2) made has one thread, and any lock may have been held by another thread of its parent: the lock
/// notices the fork when it is next acquired, and is free again. What it guards may then be half changed (``isTorn``).
///
/// A `pthread_mutex`, because the thread sanitizer supports it and not `Synchronization.Mutex`.
@safe
package final class Lock: @unchecked Sendable {
    /// The lock, on the heap, because its address must never change.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// The generation of the process that the lock is used in (``Fork/generation``).
    private let generation = Atomic<UInt32>(Fork.generation)
    /// The thread that holds the lock; 0 if none does.
    private let owner = Atomic<UInt>(0)
    /// Whether that thread may be changing what the lock guards.
    private let isChanging = Atomic<Bool>(false)
    /// Whether a thread of a parent process was changing what the lock guards when this process was forked off; read and
    /// set by the thread that holds the lock.
    fileprivate(set) var isTorn = false

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
    ///
    /// - Parameter isReading: whether the caller leaves what the lock guards as it is.
    package func acquire(isReading: Bool = false) {
        noticeFork()
        // The lock is valid for as long as this object is.
        _ = unsafe pthread_mutex_lock(mutex)
        begin(isReading)
    }

    /// Acquires the lock unless another thread holds it for longer than a few microseconds; never sleeps and makes no
    /// system call.
    ///
    /// - Returns: whether it was acquired.
    package func tryToAcquire() -> Bool {
        noticeFork()
        for _ in 0..<Lock.tries {
            // The lock is valid for as long as this object is.
            guard unsafe pthread_mutex_trylock(mutex) == 0 else { continue }
            begin(false)
            return true
        }
        return false
    }

    /// How often ``tryToAcquire()`` tries: about 5 microseconds.
    private static let tries = 500

    /// Gives the lock back; called by the thread that holds it.
    package func release() {
        // In this order in the memory of a child, too.
        atomicMemoryFence(ordering: .acquiringAndReleasing)
        isChanging.store(false, ordering: .relaxed)
        owner.store(0, ordering: .relaxed)
        // The lock is valid for as long as this object is.
        _ = unsafe pthread_mutex_unlock(mutex)
    }

    /// Notes who holds the lock, for a child.
    @inline(__always)
    private func begin(_ isReading: Bool) {
        owner.store(UInt(pthread_self()), ordering: .relaxed)
        isChanging.store(!isReading, ordering: .relaxed)
        atomicMemoryFence(ordering: .acquiringAndReleasing)
    }

    /// Frees the lock of a thread that this process does not have.
    @inline(__always)
    private func noticeFork() {
        if generation.load(ordering: .acquiring) != Fork.generation { beginAgain() }
    }

    /// The generation in whose process a thread frees a lock, times two; and one while it does.
    private static let renewal = Atomic<UInt64>(0)

    /// Makes the lock this process's, once.
    @inline(never)
    private func beginAgain() {
        let now = Fork.generation
        let claim = UInt64(now) << 1 | 1
        while true {
            let old = Lock.renewal.load(ordering: .relaxed)
            // A claim of another generation is that of a thread that this process does not have.
            if old != claim,
                Lock.renewal.compareExchange(expected: old, desired: claim, ordering: .acquiring).exchanged
            {
                break
            }
            _ = sched_yield()
        }
        defer { Lock.renewal.store(UInt64(now) << 1, ordering: .releasing) }
        if generation.load(ordering: .relaxed) == now { return }
        // The lock is valid for as long as this object is. No thread of this process holds or wants it before the
        // generation is its own, except the one that called fork(2).
        if unsafe pthread_mutex_trylock(mutex) == 0 {
            _ = unsafe pthread_mutex_unlock(mutex)
        } else if owner.load(ordering: .relaxed) != Fork.thread {
            if isChanging.load(ordering: .relaxed) { isTorn = true }
            owner.store(0, ordering: .relaxed)
            isChanging.store(false, ordering: .relaxed)
            unsafe mutex.initialize(to: pthread_mutex_t())
            _ = unsafe pthread_mutex_init(mutex, nil)
        }
        generation.store(now, ordering: .releasing)
    }
}

/// State that several threads share, behind a lock.
///
/// In a child that fork(2) made, state that a thread of its parent was changing is never looked at: either it begins again,
/// or it belongs to an object that a child does not use.
package final class Guarded<State>: @unchecked Sendable {
    /// The lock.
    private let lock = Lock()
    /// The protected state; accessed while the lock is held only.
    private var state: State
    /// Makes the state that a child begins with; `nil` for state that a child does not use.
    private let begin: (@Sendable () -> State)?

    /// Puts state behind a new lock, of an object that a child does not use.
    package init(_ state: sending State) {
        self.state = state
        begin = nil
    }

    /// Puts state behind a new lock.
    ///
    /// - Parameter state: the first state; also that of a child, if its parent was changing the state at the fork.
    package init(resettable state: @autoclosure @escaping @Sendable () -> State) {
        self.state = state()
        begin = state
    }

    /// Gives a child the first state; the lock is held.
    @inline(never)
    private func reset() {
        guard let begin else { return }
        // What is there may be half changed, so it is neither read nor freed.
        unsafe withUnsafeMutablePointer(to: &state) { state in unsafe state.initialize(to: begin()) }
        lock.isTorn = false
    }

    /// Reads the state while no thread changes it; must not be called again from within.
    package func read<Result>(_ body: (State) -> sending Result) -> sending Result {
        lock.acquire(isReading: true)
        // The lock is given back on every way out.
        defer { lock.release() }
        if lock.isTorn { reset() }
        return body(state)
    }

    /// Reads what a child has of its parent's state.
    ///
    /// - Returns: the result; `nil` if a thread of the parent was changing the state at the fork.
    package func readIfWhole<Result>(_ body: (State) -> sending Result) -> sending Result? {
        lock.acquire(isReading: true)
        // The lock is given back on every way out.
        defer { lock.release() }
        return lock.isTorn ? nil : body(state)
    }

    /// Runs with the state while no other thread does; must not be called again from within.
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock.acquire()
        // The lock is given back on every way out.
        defer { lock.release() }
        if lock.isTorn { reset() }
        return try body(&state)
    }

    /// Runs with the state unless another thread has it for longer than a few microseconds; never sleeps.
    ///
    /// - Returns: the result; `nil` if another thread had the state.
    package func tryWithLock<Result>(_ body: (inout sending State) -> sending Result) -> sending Result? {
        guard lock.tryToAcquire() else { return nil }
        // The lock is given back on every way out.
        defer { lock.release() }
        if lock.isTorn { reset() }
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
