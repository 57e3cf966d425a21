import Glibc

/// Calls the kernel and turns -1 into a `SystemError`.
enum SystemCall {
    /// Repeats a call while a signal interrupts it.
    ///
    /// - Throws: the error number that the call left, with `operation` and `path`.
    @discardableResult
    static func run<Result: SignedInteger>(
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
    static func checkPath(_ path: String, _ operation: String, shown: @autoclosure () -> String) throws(SystemError) {
        // The bytes are looked at while they are lent; most texts have them in one piece.
        let holdsNUL = unsafe path.utf8.withContiguousStorageIfAvailable { unsafe $0.contains(0) }
        if holdsNUL ?? path.utf8.contains(0) {
            throw SystemError(operation: operation, path: shown(), code: EINVAL, reason: "the name contains a NUL byte")
        }
    }
}
