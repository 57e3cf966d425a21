import Glibc
import MDCPlatform
import Synchronization

// Its headers define timespec too; which module counts as its owner depends on what was compiled before.

/// Calls the kernel and turns -1 into a `SystemError`.
package enum SystemCall {
    /// Repeats a call while a signal interrupts it.
    ///
    /// - Throws: the error number that the call left, with `operation` and `path`.
    @discardableResult
    package static func run<Result: SignedInteger>(
        _ operation: String, _ path: @autoclosure () -> String, _ call: () -> Result
    ) throws(SystemError) -> Result {
        while true {
            let result = call()
            if result >= 0 { return result }
            let code = errno
            if code != EINTR { throw SystemError(operation: operation, path: path(), code: code) }
        }
    }

    /// Refuses a path that C would read only in part, or that the kernel would refuse anyway.
    package static func checkPath(_ path: String, _ operation: String, shown: @autoclosure () -> String)
        throws(SystemError)
    {
        // The bytes are only read within the closure; most strings store them contiguously.
        let holdsNUL = unsafe path.utf8.withContiguousStorageIfAvailable { unsafe $0.contains(0) }
        if holdsNUL ?? path.utf8.contains(0) {
            throw SystemError(operation: operation, path: shown(), code: EINVAL, reason: "the name contains a NUL byte")
        }
    }
}

/// The signal SIGXFSZ, which ends a process that writes beyond its limit of file sizes (RLIMIT_FSIZE).
package enum FileSizeSignal {
    /// Ignores the signal in the whole process, so that such a write fails with EFBIG.
    ///
    /// The caller of a program sets that limit: without this, `ulimit -f` would end the process before it could report
    /// what it could not record.
    package static func ignore() {
        _ = signal(SIGXFSZ, SIG_IGN)
        isIgnored.store(true, ordering: .relaxed)
    }

    /// Whether the whole process ignores the signal.
    private static let isIgnored = Atomic<Bool>(false)

    /// Blocks the signal for one piece of work of this thread, in a process whose signal handlers belong to the
    /// application.
    ///
    /// - Parameter work: the work that writes.
    /// - Returns: the result of `work`.
    /// - Throws: the error of `work`; the signal of that failure is discarded.
    static func suppress<Result, Failure: Error>(
        _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if isIgnored.load(ordering: .relaxed) { return try work() }
        var (held, before, pending) = (sigset_t(), sigset_t(), sigset_t())
        // The kernel sends this signal to the thread that writes. The sets are this call's own variables.
        unsafe sigemptyset(&held)
        unsafe sigaddset(&held, SIGXFSZ)
        guard unsafe pthread_sigmask(SIG_BLOCK, &held, &before) == 0 else { return try work() }
        unsafe sigpending(&pending)
        let wasPending = unsafe sigismember(&pending, SIGXFSZ) == 1
        defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        do {
            return try work()
        } catch {
            var now = timespec()
            if !wasPending { _ = unsafe sigtimedwait(&held, nil, &now) }
            throw error
        }
    }
}
