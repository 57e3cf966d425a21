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

    /// The fields of the next message that journald would read; `nil` where none waits, or it does not parse.
    package func message() -> [String: String]? { datagram().flatMap { FakeLogService.fields($0) } }

    /// The fields of a message in journald's protocol; `nil` if it does not parse.
    package static func fields(_ bytes: [UInt8]) -> [String: String]? {
        var (rest, fields) = (bytes[...], [String: String]())
        while !rest.isEmpty {
            guard let end = rest.firstIndex(where: { $0 == 0x0a || $0 == UInt8(ascii: "=") }) else { return nil }
            let name = String(decoding: rest[..<end], as: UTF8.self)
            let value: ArraySlice<UInt8>
            if rest[end] == 0x0a {
                let digits = rest[(end + 1)...].prefix(8)
                let length = digits.enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
                guard digits.count == 8, length < rest.endIndex - end - 9 else { return nil }
                value = rest[(end + 9)...].prefix(length)
            } else {
                value = rest[(end + 1)...].prefix { $0 != 0x0a }
            }
            guard rest[value.endIndex...].first == 0x0a, fields[name] == nil else { return nil }
            fields[name] = String(decoding: value, as: UTF8.self)
            rest = rest[(value.endIndex + 1)...]
        }
        return fields
    }

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

    /// What can be read now; `nil` where nothing can, and the other end is still open.
    private static func read(_ socket: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        let count = recv(socket, &buffer, buffer.count, 0)
        return count < 0 ? nil : Array(buffer.prefix(count))
    }
}
