import Glibc
import MDCPlatform
package import MDPlatform

/// A short conversation over a socket that carries bytes (AF_UNIX, SOCK_STREAM).
package enum StreamConversation {
    /// Connects, sends everything, and reads until the answer is complete.
    ///
    /// - Parameters:
    ///   - path: the socket; links are followed, beneath the root.
    ///   - root: the root.
    ///   - bytes: what is sent.
    ///   - limit: the most bytes of the answer.
    ///   - milliseconds: how long all of it may take.
    ///   - isComplete: whether what has been read is the whole answer.
    /// - Returns: what was read.
    /// - Throws: ENOENT or ECONNREFUSED if no process listens, ETIMEDOUT, EFBIG beyond `limit`, ECONNRESET if the other
    ///   side ends before the answer is complete.
    package static func hold(
        with path: String, under root: Root, sending bytes: [UInt8], limit: Int, milliseconds: Int,
        until isComplete: ([UInt8]) -> Bool
    ) throws(SystemError) -> [UInt8] {
        let shown = root.display(path)
        let deadline = Clock.monotonicMicroseconds() + Int64(min(max(milliseconds, 0), 600_000)) * 1_000
        let socket = try root.connect(path, SOCK_STREAM)
        var (rest, answer): (ArraySlice<UInt8>, [UInt8]) = (bytes[...], [])
        while !isComplete(answer) {
            var request = pollfd(fd: socket.raw, events: Int16(rest.isEmpty ? POLLIN : POLLIN | POLLOUT), revents: 0)
            let left = deadline - Clock.monotonicMicroseconds()
            if left <= 0 { throw SystemError(operation: "talk to", path: shown, code: ETIMEDOUT) }
            // The structure outlives the call; the loop repeats an interrupted one.
            _ = unsafe poll(&request, 1, Int32(clamping: (left + 999) / 1_000))
            if request.revents & Int16(POLLOUT) != 0, !rest.isEmpty {
                rest = rest.dropFirst(try send(rest, socket.raw, shown))
            }
            if request.revents & Int16(POLLIN | POLLHUP | POLLERR) == 0 { continue }
            answer += try receive(socket.raw, shown)
            if answer.count > limit {
                throw SystemError(
                    operation: "talk to", path: shown, code: EFBIG, reason: "it answers more than \(limit) bytes")
            }
        }
        return answer
    }

    /// Sends as much as fits now.
    private static func send(_ bytes: ArraySlice<UInt8>, _ raw: Int32, _ shown: String) throws(SystemError) -> Int {
        // The buffer is valid for the duration of the call, which reads at most its count.
        let sent = unsafe bytes.withUnsafeBytes { buffer in
            unsafe Glibc.send(raw, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        if sent >= 0 { return sent }
        if errno == EAGAIN || errno == EINTR { return 0 }
        throw SystemError(operation: "talk to", path: shown, code: errno)
    }

    /// Reads what has arrived.
    private static func receive(_ raw: Int32, _ shown: String) throws(SystemError) -> [UInt8] {
        let capacity = 4_096
        var length = 0
        // The buffer has `capacity` bytes, the call writes at most that many and returns how many.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            length = unsafe recv(raw, buffer.baseAddress, capacity, Int32(MSG_DONTWAIT))
            count = max(length, 0)
        }
        if length > 0 { return bytes }
        if length < 0, errno == EAGAIN || errno == EINTR { return [] }
        throw SystemError(operation: "talk to", path: shown, code: length == 0 ? ECONNRESET : errno)
    }
}
