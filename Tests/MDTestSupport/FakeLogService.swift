import Foundation

/// A socket of the file system that takes messages as the system's log service does.
package final class FakeLogService {
    /// The socket.
    private let socket: Int32

    /// Listens at a path; the folders above it are made.
    ///
    /// - Parameters:
    ///   - path: where, at most 107 bytes.
    ///   - takesConnections: whether it takes connections in place of datagrams.
    /// - Throws: where the socket cannot be made.
    package init(at path: String, takesConnections: Bool = false) throws {
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        let type = takesConnections ? SOCK_STREAM : SOCK_DGRAM
        socket = Glibc.socket(AF_UNIX, Int32(type.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw POSIXError(.ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, !takesConnections || listen(socket, 8) == 0 else { throw POSIXError(.EADDRINUSE) }
    }

    deinit {
        close(socket)
    }

    /// The next message that waits; `nil` where there is none.
    package func datagram() -> [UInt8]? { FakeLogService.read(socket) }

    /// What came over the next connection that waits; `nil` where there is none, or its other end is still open.
    package func connection() -> [UInt8]? {
        let peer = accept(socket, nil, nil)
        guard peer >= 0 else { return nil }
        defer { close(peer) }
        _ = fcntl(peer, F_SETFL, O_NONBLOCK)
        var all: [UInt8] = []
        while let bytes = FakeLogService.read(peer) {
            if bytes.isEmpty { return all }
            all += bytes
        }
        return nil
    }

    /// What can be read now; `nil` where nothing can, and nobody has closed the other end.
    private static func read(_ socket: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        let count = recv(socket, &buffer, buffer.count, 0)
        return count < 0 ? nil : Array(buffer.prefix(count))
    }
}
