import Glibc
import MDCPlatform

/// One end of a connection that carries whole messages (AF_UNIX, SOCK_SEQPACKET).
///
/// No call waits but ``wait(for:milliseconds:)``, and ``connect(_:under:waiting:)`` if it is told to; none causes a signal.
/// Descriptors that the other side sends along are closed by the kernel and never arrive.
package struct MessageSocket: ~Copyable, Sendable {
    /// The connection.
    private let descriptor: FileDescriptor

    /// Takes ownership of a connected socket.
    package init(owning descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }

    /// The number that the kernel knows it by.
    package var raw: Int32 { descriptor.raw }

    /// The user of the process at the other end when the connection was made, or the socket was opened for it; `nil` if the kernel does not say.
    package var peerUser: UInt32? {
        var peer = cplatform_peer()
        // The structure outlives the call, which fills it whole or fails.
        return unsafe cplatform_peer(raw, &peer) == 0 ? peer.uid : nil
    }

    /// Connects to a socket beneath a root.
    ///
    /// - Parameters:
    ///   - path: the socket; links are followed, beneath the root.
    ///   - root: the root.
    ///   - milliseconds: the longest wait for a turn, if too many connections wait to be accepted.
    /// - Returns: the connection, which closes on exec.
    /// - Throws: ECONNREFUSED if no process listens, EAGAIN if too many connections wait to be accepted, ENOENT if there
    ///   is not such a socket.
    package static func connect(
        _ path: String, under root: Root, waiting milliseconds: Int = 0
    ) throws(SystemError) -> MessageSocket {
        MessageSocket(owning: try root.connect(path, SOCK_SEQPACKET, waiting: milliseconds))
    }

    /// Sends a message without waiting.
    ///
    /// - Throws: an error for which ``SystemError/isFull`` is true if the other side reads too slowly; EPIPE or ECONNRESET
    ///   if it has closed; EMSGSIZE if the message is too long.
    package borrowing func send(_ bytes: [UInt8]) throws(SystemError) {
        let code = sendIfPossible(bytes.span)
        if code != 0 { throw SystemError(operation: "write to", path: "the socket", code: code) }
    }

    /// Sends a message without waiting; uses no lock and no memory beside that of the message, and at most one system call
    /// where no signal interrupts it.
    ///
    /// - Returns: 0, or the error number that ``send(_:)`` would throw.
    package borrowing func sendIfPossible(_ bytes: Span<UInt8>) -> Int32 {
        let raw = descriptor.raw
        // The pointer is used during the call only, for the bytes that the span has.
        return unsafe bytes.withUnsafeBytes { unsafe cplatform_send_message(raw, $0.baseAddress, $0.count) }
    }

    /// The result of receiving.
    package enum Reception: Hashable, Sendable {
        /// A message.
        case message([UInt8])
        /// A message that was longer than allowed, and is gone.
        case tooLong
        /// No message has arrived yet.
        case nothing
        /// The other side has closed the connection, or has sent an empty message, which is no message.
        case closed
    }

    /// Receives the next message without waiting.
    ///
    /// - Parameter limit: the most bytes of a message.
    /// - Returns: the message, or why there is none; a connection that failed counts as closed.
    package borrowing func receive(limit: Int) -> Reception {
        let (raw, capacity) = (descriptor.raw, max(limit, 1))
        var (length, isCut, code) = (0, Int32(0), Int32(0))
        // The buffer has `capacity` bytes, the call writes at most that many and returns how many.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            length = unsafe cplatform_receive_message(raw, buffer.baseAddress, capacity, &isCut)
            if length < 0 { code = errno }
            count = max(length, 0)
        }
        if length < 0 { return code == EAGAIN ? .nothing : .closed }
        if isCut != 0 { return .tooLong }
        return length == 0 ? .closed : .message(bytes)
    }

    /// The result of receiving into a buffer.
    package enum Arrival: Hashable, Sendable {
        /// A message of so many bytes.
        case message(Int)
        /// A message that was longer than the buffer, and is gone.
        case tooLong
        /// No message has arrived yet.
        case nothing
        /// The other side has closed the connection, or has sent an empty message, which is no message.
        case closed
    }

    /// Receives the next message without waiting and without memory of its own.
    ///
    /// - Parameter buffer: what the message is written into, from its beginning.
    /// - Returns: its length, or why there is none; a connection that failed counts as closed.
    package borrowing func receive(into buffer: inout [UInt8]) -> Arrival {
        let raw = descriptor.raw
        var isCut = Int32(0)
        // The call writes at most as many bytes as the array has.
        let length = unsafe buffer.withUnsafeMutableBytes {
            unsafe cplatform_receive_message(raw, $0.baseAddress, $0.count, &isCut)
        }
        if length < 0 { return errno == EAGAIN ? .nothing : .closed }
        if isCut != 0 { return .tooLong }
        return length == 0 ? .closed : .message(length)
    }

    /// What a wait is for.
    package enum Readiness: Hashable, Sendable {
        /// A message to receive, or the end of the connection.
        case message
        /// Room for a message to send, or the end of the connection.
        case room
    }

    /// Waits until the connection is ready or has ended.
    ///
    /// - Parameters:
    ///   - readiness: what to wait for.
    ///   - milliseconds: the longest wait.
    /// - Returns: whether it is ready or has ended; false after that time.
    package borrowing func wait(for readiness: Readiness = .message, milliseconds: Int) -> Bool {
        let end = Clock.monotonicMicroseconds() + Int64(min(max(milliseconds, 0), 86_400_000)) * 1_000
        var entry = pollfd(fd: descriptor.raw, events: Int16(readiness == .message ? POLLIN : POLLOUT), revents: 0)
        while true {
            let rest = max(end - Clock.monotonicMicroseconds(), 0)
            // The structure outlives the call, which fills in what happened.
            let count = unsafe poll(&entry, 1, Int32((rest + 999) / 1_000))
            if count > 0 { return true }
            if count == 0 || errno != EINTR { return false }
        }
    }
}

extension SystemError {
    /// Whether a message was not sent because the other side reads too slowly, or accepts connections too slowly.
    package var isFull: Bool { code == EAGAIN }

    /// Whether the other side of a connection has gone, or no process listens.
    package var isClosed: Bool { [EPIPE, ECONNRESET, ECONNREFUSED, ENOTCONN].contains(code) }
}
