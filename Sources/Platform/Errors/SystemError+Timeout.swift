import Glibc

extension SystemError {
    /// Whether something was waited for as long as allowed, and did not come.
    package var isTimeout: Bool { code == ETIMEDOUT }
}
