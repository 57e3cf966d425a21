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
}
