import Glibc
import MDCPlatform
package import MDPlatform

/// One end of a connection that carries bytes, all of whose calls end at one moment.
package final class StreamSocket {
    /// The connection.
    private let descriptor: FileDescriptor
    /// When every call gives up, in monotonic microseconds.
    private let deadline: Int64
    /// The other side as people know it.
    private let shown: String

    /// Takes ownership of a connected socket.
    init(owning raw: Int32, deadline: Int64, shown: String) {
        descriptor = FileDescriptor(owning: raw)
        (self.deadline, self.shown) = (deadline, shown)
    }

    /// Connects to a port of 127.0.0.1.
    ///
    /// - Parameters:
    ///   - port: the port.
    ///   - deadline: when every call gives up, in monotonic microseconds.
    ///   - shown: the other side in messages.
    /// - Returns: the connection.
    /// - Throws: ECONNREFUSED if no process listens there.
    package static func connect(port: UInt16, deadline: Int64, shown: String) throws(SystemError) -> StreamSocket {
        let raw = try SystemCall.run("connect to", shown) { cplatform_connect_loopback(port) }
        return StreamSocket(owning: raw, deadline: deadline, shown: shown)
    }

    /// Makes both ends of a connection in this process.
    ///
    /// - Parameters:
    ///   - deadline: when every call gives up, in monotonic microseconds.
    ///   - shown: the other side in messages.
    /// - Returns: the ends.
    /// - Throws: why there is none.
    package static func pair(
        deadline: Int64, shown: String
    ) throws(SystemError) -> (one: StreamSocket, other: StreamSocket) {
        var (one, other): (Int32, Int32) = (-1, -1)
        // Both numbers outlive the call, which fills them or fails.
        try SystemCall.run("make a connection for", shown) { unsafe cplatform_stream_pair(&one, &other) }
        return (
            StreamSocket(owning: one, deadline: deadline, shown: shown),
            StreamSocket(owning: other, deadline: deadline, shown: shown)
        )
    }

    /// The number that the kernel knows it by.
    var raw: Int32 { descriptor.raw }

    /// Sends all bytes.
    ///
    /// - Throws: ETIMEDOUT at the deadline, EPIPE or ECONNRESET if the other side has closed.
    package func send(_ bytes: [UInt8]) throws(SystemError) {
        let raw = descriptor.raw
        var sent = 0
        while sent < bytes.count {
            let start = sent
            // The pointer is used during the call only, for the bytes from `start` to the end of the array.
            let count = unsafe bytes.withUnsafeBytes { buffer in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start...])
                return unsafe cplatform_send_some(raw, rest.baseAddress, rest.count)
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                try wait(POLLOUT, "write to")
            } else if errno != EINTR {
                throw SystemError(operation: "write to", path: shown, code: errno)
            }
        }
    }

    /// Receives what has arrived, up to 64 KiB, and waits for something.
    ///
    /// - Returns: the bytes; none if the other side has closed.
    /// - Throws: ETIMEDOUT at the deadline.
    package func receive() throws(SystemError) -> [UInt8] {
        let raw = descriptor.raw
        while true {
            try wait(POLLIN, "read from")
            var code: Int32 = 0
            // The buffer has as many bytes as the call may write, and the call returns how many it wrote.
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                let length = unsafe read(raw, buffer.baseAddress, 65_536)
                if length < 0 { code = errno }
                count = max(length, 0)
            }
            // The other side ended before it had read everything.
            if code == 0 || code == ECONNRESET { return bytes }
            if code != EINTR, code != EAGAIN { throw SystemError(operation: "read from", path: shown, code: code) }
        }
    }

    /// Waits until the connection is ready or has ended.
    private func wait(_ event: Int32, _ operation: String) throws(SystemError) {
        while true {
            let rest = deadline - Clock.monotonicMicroseconds()
            if rest <= 0 { throw Child.timeout(operation, shown) }
            var request = pollfd(fd: descriptor.raw, events: Int16(event), revents: 0)
            // The structure outlives the call; rounding up avoids a busy loop in the last millisecond.
            let ready = unsafe poll(&request, 1, Int32(clamping: (rest + 999) / 1_000))
            if ready > 0 { return }
            if ready < 0, errno != EINTR { throw SystemError(operation: operation, path: shown, code: errno) }
        }
    }
}
