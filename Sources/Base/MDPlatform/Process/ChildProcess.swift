import Glibc
import MDCPlatform

/// Waits for children and ends them.
package enum Child {
    /// Waits until a child has ended.
    ///
    /// - Returns: its exit code; `nil` if a signal ended it, or if the application ignores SIGCHLD, so that the code is
    ///   unknown.
    /// - Throws: ETIMEDOUT at the deadline (monotonic microseconds).
    package static func wait(for child: Int32, deadline: Int64, shown: String) throws(SystemError) -> Int32? {
        var cost: Int64 = 0
        return try wait(for: child, deadline: deadline, shown: shown, cost: &cost)
    }

    /// Waits until a child has ended, and says how long it and the children that it waited for used a processor, in
    /// microseconds.
    static func wait(
        for child: Int32, deadline: Int64, shown: String, cost: inout Int64
    ) throws(SystemError) -> Int32? {
        var pause: Int64 = 100
        while true {
            var (status, usage): (Int32, rusage) = (0, rusage())
            // Number and structure outlive the call.
            let result = unsafe wait4(child, &status, WNOHANG, &usage)
            if result == child {
                cost = [usage.ru_utime, usage.ru_stime].reduce(0) {
                    $0 + Int64($1.tv_sec) * 1_000_000 + Int64($1.tv_usec)
                }
                let code = cplatform_exit_code(status)
                return code < 0 ? nil : code
            }
            if result < 0, errno != EINTR { return nil }
            let rest = deadline - Clock.monotonicMicroseconds()
            if rest <= 0 { throw timeout("run", shown) }
            // A child that has closed its output ends within moments; waiting with a time limit means polling.
            Clock.pause(microseconds: min(pause, rest))
            pause = min(pause * 2, 5_000)
        }
    }

    /// How long a killed child may take to end, in microseconds; one that waits for a dead disk or server ends late.
    private static let leave: Int64 = 1_000_000

    /// Kills a child and the processes that it started, and reaps it if it ends soon.
    package static func kill(_ child: Int32) {
        // The group is missing if the child did not make one; the child's id is not reused until it is reaped.
        _ = Glibc.kill(-child, SIGKILL)
        _ = Glibc.kill(child, SIGKILL)
        _ = try? wait(for: child, deadline: Clock.monotonicMicroseconds() + leave, shown: "")
    }

    /// Makes the error of a program that exceeds its time.
    package static func timeout(_ operation: String, _ shown: String) -> SystemError {
        SystemError(operation: operation, path: shown, code: ETIMEDOUT, reason: "it does not answer in time")
    }
}

/// A pipe from a child to this process.
package final class Pipe {
    /// The end that this process reads; -1 once it is closed.
    package private(set) var reading: Int32
    /// The end that the child writes; -1 once it is closed.
    package private(set) var writing: Int32

    /// Makes a pipe.
    package init(shown: String) throws(SystemError) {
        var (reading, writing): (Int32, Int32) = (-1, -1)
        // Both numbers outlive the call, which fills them or fails.
        try SystemCall.run("make a pipe for", shown) { unsafe cplatform_pipe(&reading, &writing) }
        (self.reading, self.writing) = (reading, writing)
    }

    deinit {
        closeWriting()
        closeReading()
    }

    /// Gives up the writing end, so that reading ends when the child does.
    package func closeWriting() {
        if writing >= 0 { _ = close(writing) }
        writing = -1
    }

    /// Gives up the reading end.
    package func closeReading() {
        if reading >= 0 { _ = close(reading) }
        reading = -1
    }

    /// Reads until every writer has closed its end.
    ///
    /// - Throws: ETIMEDOUT at the deadline (monotonic microseconds), EFBIG beyond `limit` bytes.
    func readAll(limit: Int, deadline: Int64, operation: String, shown: String) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let rest = deadline - Clock.monotonicMicroseconds()
            if rest <= 0 { throw Child.timeout(operation, shown) }
            var request = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
            // The structure outlives the call; rounding up avoids a busy loop in the last millisecond.
            let ready = unsafe poll(&request, 1, Int32(clamping: (rest + 999) / 1_000))
            if ready < 0, errno != EINTR { throw SystemError(operation: operation, path: shown, code: errno) }
            if ready <= 0 { continue }
            guard let part = try readSome(operation: operation, shown: shown) else { continue }
            if part.isEmpty { return bytes }
            bytes += part
            if bytes.count > limit {
                throw SystemError(
                    operation: operation, path: shown, code: EFBIG, reason: "it prints more than \(limit) bytes")
            }
        }
    }

    /// Whether there is something to read, or every writer has closed its end.
    package func isReady(shown: String) throws(SystemError) -> Bool {
        var request = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        // The structure outlives the call.
        let ready = unsafe poll(&request, 1, 0)
        if ready < 0, errno != EINTR { throw SystemError(operation: "read from", path: shown, code: errno) }
        return ready > 0
    }

    /// Reads available bytes, up to 64 KiB.
    ///
    /// - Returns: the bytes, empty once every writer has closed its end; `nil` if the call was interrupted.
    package func readSome(operation: String, shown: String) throws(SystemError) -> [UInt8]? {
        let (part, code) = readPart()
        if code == EINTR || code == EAGAIN { return nil }
        if code != 0 { throw SystemError(operation: operation, path: shown, code: code) }
        return part
    }

    /// Reads what is there, up to 64 KiB, with the error number or 0.
    private func readPart() -> ([UInt8], Int32) {
        var code: Int32 = 0
        let raw = reading
        // The buffer has as many bytes as the call may write, and the call returns how many it wrote.
        let part = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            let length = unsafe read(raw, buffer.baseAddress, 65_536)
            if length < 0 { code = errno }
            count = max(length, 0)
        }
        return (part, code)
    }
}
