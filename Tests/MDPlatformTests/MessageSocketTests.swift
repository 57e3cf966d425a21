import Foundation
import MDTestSupport
import Testing

@testable import MDPlatform

/// Connections that carry whole messages.
struct MessageSocketTests {
    /// A connected socket, and the other end as a descriptor.
    private final class Pair {
        /// The socket.
        let socket: MessageSocket
        /// The other end.
        let other: Int32

        /// Makes two connected ends.
        init() throws {
            var ends: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
            socket = MessageSocket(owning: FileDescriptor(owning: ends[0]))
            other = ends[1]
        }

        func receive(limit: Int = 16) -> MessageSocket.Reception { socket.receive(limit: limit) }
        func isReady(for readiness: MessageSocket.Readiness = .message) -> Bool {
            socket.wait(for: readiness, milliseconds: 0)
        }
        func send(_ bytes: [UInt8]) throws(SystemError) { try socket.send(bytes) }
        func sendIfPossible(_ bytes: [UInt8]) -> Int32 { socket.sendIfPossible(bytes.span) }
    }

    /// Listens at a path of the file system; the caller closes the socket.
    private func listen(at path: String, backlog: Int32 = 8) throws -> Int32 {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        try #require(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        try #require(isBound && Glibc.listen(socket, backlog) == 0)
        return socket
    }

    @Test func `messages arrive whole and in order`() throws {
        let socket = try Pair()
        let other = socket.other
        defer { close(other) }
        #expect(socket.receive() == .nothing)
        #expect(!socket.isReady())
        #expect(socket.isReady(for: .room))
        #expect(Glibc.send(other, "one", 3, 0) == 3 && Glibc.send(other, "second", 6, 0) == 6)
        #expect(socket.isReady())
        #expect(socket.receive() == .message(Array("one".utf8)))
        #expect(socket.receive() == .message(Array("second".utf8)))
        try socket.send(Array("answer".utf8))
        var buffer = [UInt8](repeating: 0, count: 16)
        #expect(recv(other, &buffer, 16, 0) == 6)
        #expect(buffer.starts(with: "answer".utf8))
    }

    @Test func `a message that is too long is reported, and the next one arrives`() throws {
        let socket = try Pair()
        let other = socket.other
        defer { close(other) }
        #expect(Glibc.send(other, "12345", 5, 0) == 5 && Glibc.send(other, "1234", 4, 0) == 4)
        #expect(socket.receive(limit: 4) == .tooLong)
        #expect(socket.receive(limit: 4) == .message(Array("1234".utf8)))
    }

    @Test func `the end of the connection is reported after what was sent before it`() throws {
        let socket = try Pair()
        let other = socket.other
        #expect(Glibc.send(other, "last", 4, 0) == 4)
        close(other)
        #expect(socket.isReady())
        #expect(socket.receive() == .message(Array("last".utf8)))
        #expect(socket.receive() == .closed)
        #expect(socket.sendIfPossible([1]) == EPIPE)
        do {
            try socket.send([1])
            Issue.record("the message was sent")
        } catch {
            #expect(error.isClosed && !error.isFull)
        }
    }

    @Test func `what was sent before an end arrives, even if the sender has not read all it was sent`() throws {
        let socket = try Pair()
        try socket.send([9])
        #expect(Glibc.send(socket.other, "one", 3, 0) == 3 && Glibc.send(socket.other, "two", 3, 0) == 3)
        close(socket.other)
        #expect(socket.receive() == .message(Array("one".utf8)))
        #expect(socket.receive() == .message(Array("two".utf8)))
        #expect(socket.receive() == .closed)
    }

    @Test func `a reader that is too slow is no wait but an error of its own`() throws {
        let socket = try Pair()
        let other = socket.other
        defer { close(other) }
        let message = [UInt8](repeating: 7, count: 1_024)
        var sent = 0
        while sent < 100_000, socket.sendIfPossible(message) == 0 { sent += 1 }
        #expect(sent > 1 && sent < 100_000)
        #expect(!socket.isReady(for: .room))
        do {
            try socket.send(message)
            Issue.record("the message was sent")
        } catch {
            #expect(error.isFull && !error.isClosed)
        }
    }

    @Test func `descriptors that come with a message are not taken`() throws {
        let socket = try Pair()
        let other = socket.other
        defer { close(other) }
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        var (byte, control) = (UInt8(1), [UInt64](repeating: 0, count: 3))
        let sent = withUnsafeMutableBytes(of: &byte) { byte in
            var part = iovec(iov_base: byte.baseAddress, iov_len: 1)
            return control.withUnsafeMutableBytes { control in
                // The header: a length of 20 bytes with itself, the level of sockets, and SCM_RIGHTS.
                control.storeBytes(of: 20, as: Int.self)
                control.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: Int32.self)
                control.storeBytes(of: 1, toByteOffset: 12, as: Int32.self)
                control.storeBytes(of: ends[1], toByteOffset: 16, as: Int32.self)
                return withUnsafeMutablePointer(to: &part) { part in
                    var header = msghdr()
                    (header.msg_iov, header.msg_iovlen) = (part, 1)
                    (header.msg_control, header.msg_controllen) = (control.baseAddress, 20)
                    return sendmsg(other, &header, 0)
                }
            }
        }
        #expect(sent == 1)
        close(ends[1])
        #expect(socket.receive(limit: 4) == .message([1]))
        // With every writing end closed the pipe is at its end.
        var buffer: UInt8 = 0
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        #expect(read(ends[0], &buffer, 1) == 0)
    }

    @Test func `a socket beneath a folder is found, however long the path of the folder is`() throws {
        let folder = try TemporaryFolder()
        let deep = [String](repeating: String(repeating: "d", count: 60), count: 3).joined(separator: "/")
        try folder.directory("\(deep)/run")
        let short = try TemporaryFolder()
        try short.link("way", to: folder("\(deep)/run"))
        let listener = try listen(at: short("way/audit.sock"))
        defer { close(listener) }
        for way in [PathResolution.kernel, .walk] {
            let root = try Root(directory: folder(deep), resolution: way)
            let socket = try MessageSocket.connect("/run/audit.sock", under: root)
            let raw = socket.raw
            #expect(raw > 2 && fcntl(raw, F_GETFD) & FD_CLOEXEC != 0)
            let peer = accept(listener, nil, nil)
            defer { close(peer) }
            try socket.send([1, 2])
            var buffer = [UInt8](repeating: 0, count: 4)
            #expect(recv(peer, &buffer, 4, 0) == 2)
        }
        // Through the system's root the same socket has an address of its own.
        let socket = try MessageSocket.connect(short("way/audit.sock"), under: .system)
        let raw = socket.raw
        #expect(raw > 2)
    }

    @Test func `where no process listens, or too many wait, connecting fails without a wait`() throws {
        let folder = try TemporaryFolder()
        let root = try folder.root()
        /// The error of connecting, a number; 0 for none.
        func code(_ path: String) -> Int32 {
            do throws(SystemError) {
                _ = try MessageSocket.connect(path, under: root)
                return 0
            } catch {
                return error.code
            }
        }
        #expect(code("/audit.sock") == ENOENT)
        let listener = try listen(at: folder("audit.sock"), backlog: 0)
        let first = try MessageSocket.connect("/audit.sock", under: root)
        #expect(code("/audit.sock") == EAGAIN)
        close(listener)
        #expect(code("/audit.sock") == ECONNREFUSED)
        let end = first.receive(limit: 4)
        #expect(end == .closed)
    }
}
