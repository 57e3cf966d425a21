import Glibc
import MDCPlatform
package import MDPlatform

/// A socket of the file system that accepts connections that carry messages.
package struct MessageListener: ~Copyable, Sendable {
    /// How many connections the kernel holds until they are accepted.
    private static let backlog: Int32 = 256

    /// The listening socket.
    private let descriptor: FileDescriptor

    /// Takes ownership of a listening socket.
    private init(owning descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }

    /// The number that the kernel knows it by.
    package var raw: Int32 { descriptor.raw }

    /// Listens at a path beneath a root, with a mode for the socket's file.
    ///
    /// A socket that no process listens on is replaced.
    ///
    /// - Parameters:
    ///   - path: the path; its directory exists.
    ///   - root: the root.
    ///   - mode: the permission bits: a process that may write may connect.
    /// - Returns: the listener.
    /// - Throws: EADDRINUSE if another process listens there, EEXIST if the name belongs to another kind of file.
    package static func bind(_ path: String, under root: Root, mode: UInt32) throws(SystemError) -> MessageListener {
        let shown = root.display(path)
        try removeStale(path, root)
        let parent = try root.parent(of: path, "listen at")
        let directory = parent.descriptor.raw
        // The kernel's own name for the directory fits into an address and leads to no other directory.
        let address = "/proc/self/fd/\(directory)/\(parent.name)"
        // The string is valid for the duration of the call, which does not store a pointer to it.
        let raw = try SystemCall.run("listen at", shown) { unsafe cplatform_listen(address, backlog) }
        let listener = MessageListener(owning: FileDescriptor(owning: raw))
        try SystemCall.run("change the mode of", shown) { unsafe fchmodat(directory, parent.name, mode & 0o7777, 0) }
        return listener
    }

    /// Takes over a listening socket that the process was started with; `nil` if the descriptor is not such a socket.
    package static func adopt(_ raw: Int32) -> MessageListener? {
        cplatform_adopt_listener(raw) == 1 ? MessageListener(owning: FileDescriptor(owning: raw)) : nil
    }

    /// Removes a socket that no process listens on.
    private static func removeStale(_ path: String, _ root: Root) throws(SystemError) {
        let status: FileStatus
        do {
            status = try root.status(path, followingLinks: false)
        } catch {
            if error.isMissing { return }
            throw error
        }
        guard status.kind == .socket else {
            throw SystemError(
                operation: "listen at", path: root.display(path), code: EEXIST, reason: "it is \(status.kind.noun)")
        }
        do {
            _ = try MessageSocket.connect(path, under: root)
        } catch {
            if error.code == ECONNREFUSED { return try root.remove(path) }
            if error.isMissing { return }
        }
        throw SystemError(
            operation: "listen at", path: root.display(path), code: EADDRINUSE, reason: "another process listens there")
    }

    /// The result of accepting.
    package enum Acceptance: ~Copyable {
        /// A connection.
        case connection(MessageSocket)
        /// No connection waits.
        case nothing
        /// This process or the machine lacks descriptors or memory.
        case shortage
    }

    /// Accepts the next connection without waiting.
    package borrowing func accept() -> Acceptance {
        while true {
            let raw = cplatform_accept(descriptor.raw)
            if raw >= 0 { return .connection(MessageSocket(owning: FileDescriptor(owning: raw))) }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOMEM, ENOBUFS: return .shortage
            default: return .nothing
            }
        }
    }
}

extension MessageSocket {
    /// Refuses further messages of the other side, so that its sending fails and nothing is lost unseen.
    ///
    /// What has arrived can still be received, and messages can still be sent.
    package borrowing func endReceiving() {
        _ = cplatform_end_receiving(raw)
    }
}
