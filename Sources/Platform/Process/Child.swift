import CPlatform
import Glibc

/// Waits for children and ends them.
enum Child {
    /// Waits until a child has ended.
    ///
    /// - Returns: its exit code; `nil` where a signal ended it, or where the application ignores SIGCHLD, so that nobody can know.
    /// - Throws: ETIMEDOUT at the deadline (monotonic microseconds).
    static func wait(for child: Int32, deadline: Int64, shown: String) throws(SystemError) -> Int32? {
        var pause: Int64 = 100
        while true {
            var status: Int32 = 0
            // The number outlives the call.
            let result = unsafe waitpid(child, &status, WNOHANG)
            if result == child {
                let code = cplatform_exit_code(status)
                return code < 0 ? nil : code
            }
            if result < 0, errno != EINTR { return nil }
            let rest = deadline - Clock.monotonicMicroseconds()
            if rest <= 0 { throw timeout("run", shown) }
            // A child that has closed its output ends within moments; waiting with a limit needs a look now and then.
            Clock.pause(microseconds: min(pause, rest))
            pause = min(pause * 2, 5_000)
        }
    }

    /// How long an ended child may take to leave, in microseconds; one that waits for a dead disk or server leaves late.
    private static let leave: Int64 = 1_000_000

    /// Ends a child and what it started, and takes it off the kernel's table where it leaves soon.
    static func kill(_ child: Int32) {
        // The group is missing where the child did not make one; the child itself is ours until it is waited for.
        _ = Glibc.kill(-child, SIGKILL)
        _ = Glibc.kill(child, SIGKILL)
        _ = try? wait(for: child, deadline: Clock.monotonicMicroseconds() + leave, shown: "")
    }

    /// The failure of a program that takes too long.
    static func timeout(_ operation: String, _ shown: String) -> SystemError {
        SystemError(operation: operation, path: shown, code: ETIMEDOUT, reason: "it does not answer in time")
    }
}
