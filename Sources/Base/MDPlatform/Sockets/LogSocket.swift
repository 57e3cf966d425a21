package import Glibc
import MDCPlatform

/// A connection to a process that only receives, as log services do: of datagrams, or, where it accepts connections, of
/// bytes.
///
/// No call waits, and none causes a signal.
package struct LogSocket: ~Copyable, Sendable {
    /// The connection.
    private let descriptor: FileDescriptor

    /// Connects to a socket beneath a root.
    ///
    /// - Parameters:
    ///   - path: the socket; links are followed, beneath the root.
    ///   - root: the root.
    /// - Returns: the connection, which closes on exec.
    /// - Throws: an error if no process listens, or the path leads to another kind of file.
    package static func connect(_ path: String, under root: Root) throws(SystemError) -> LogSocket {
        do throws(SystemError) {
            return LogSocket(descriptor: try root.connect(path, SOCK_DGRAM))
        } catch {
            guard error.code == EPROTOTYPE else { throw error }
            return LogSocket(descriptor: try root.connect(path, SOCK_STREAM))
        }
    }

    /// Sends a message whole.
    ///
    /// - Returns: whether the kernel has it; not if the other side reads too slowly, or has closed.
    package borrowing func send(_ message: [UInt8]) -> Bool {
        let raw = descriptor.raw
        // The pointer is used during the call only, for the bytes that the array has.
        return unsafe message.withUnsafeBytes { unsafe cplatform_send_message(raw, $0.baseAddress, $0.count) } == 0
    }
}

extension Root {
    /// Connects to a socket of a kind beneath the root; the connection closes on exec and never waits.
    ///
    /// - Parameters:
    ///   - path: the socket.
    ///   - kind: the kind.
    ///   - milliseconds: the longest wait for a turn, if too many connections wait there.
    /// - Returns: the connection.
    /// - Throws: an error if there is none.
    package func connect(
        _ path: String, _ kind: __socket_type, waiting milliseconds: Int = 0
    ) throws(SystemError) -> FileDescriptor {
        if isSystem { return try Root.connect(to: display(path), kind, milliseconds, shown: display(path)) }
        // An address holds few bytes and knows no root: the kernel's own name for the socket leads to no other.
        let socket = try resolve(path, flags: OpenMode.lookup.flags)
        return try Root.connect(to: "/proc/self/fd/\(socket.raw)", kind, milliseconds, shown: display(path))
    }

    /// Connects to an address.
    private static func connect(
        to address: String, _ kind: __socket_type, _ milliseconds: Int, shown: String
    ) throws(SystemError) -> FileDescriptor {
        try SystemCall.checkPath(address, "connect to", shown: shown)
        // The string is valid for the duration of the call, which does not store a pointer to it.
        let raw = try SystemCall.run("connect to", shown) {
            unsafe cplatform_connect(address, Int32(kind.rawValue), Int32(clamping: milliseconds))
        }
        return FileDescriptor(owning: raw)
    }
}
