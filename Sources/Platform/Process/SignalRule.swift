// Its headers define timespec too; which module counts as its owner depends on what was compiled before.
import CPlatform
import Glibc

/// What becomes of signals that the kernel sends where a call could fail instead.
package enum SignalRule {
    /// Has a write beyond the limit of file sizes fail with EFBIG, instead of ending the process.
    ///
    /// Whoever starts a program sets that limit: without this, `ulimit -f` would end it before it could say what it could
    /// not record.
    package static func failBeyondFileSizeLimit() {
        _ = signal(SIGXFSZ, SIG_IGN)
    }

    /// Does the same for one piece of work of this thread, in a process whose signals are not ours to set.
    ///
    /// - Parameter work: what writes.
    /// - Returns: what it returns.
    /// - Throws: what it throws; the signal of that failure is taken away.
    static func failingBeyondFileSizeLimit<Result, Failure: Error>(
        _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
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
