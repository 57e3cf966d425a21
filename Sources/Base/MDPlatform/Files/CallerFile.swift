import Glibc
import MDCPlatform

/// A file that a command line names, to be written or changed.
///
/// The way to it is walked once, by ``LinkRule``, and its folder is held open: what others exchange on the way meanwhile
/// has no effect. A link at its end that the rule does not follow is itself replaced. A folder behind such a link is
/// refused, with the link and its owner.
package final class CallerFile: Sendable {
    /// The path beneath the root: no link, or one that is not followed and will be replaced.
    package let path: String
    /// The status of the file itself when the way to it was walked; `nil` if there was none.
    package let status: FileStatus?
    /// The status of its folder.
    package let folder: FileStatus
    /// The root.
    private let root: Root
    /// The open folder.
    private let directory: DirectoryHandle
    /// The name in the folder.
    private let name: String
    /// The open file of this process that the path means: that of `/dev/stdout` or `/dev/fd/63`.
    private let descriptor: Int32?
    /// Why a pipe, device or link is not used.
    private let objection: String?

    /// Walks to a file.
    ///
    /// - Parameters:
    ///   - path: the path beneath the root; the file itself may be missing.
    ///   - root: the file tree.
    /// - Returns: the file.
    /// - Throws: ENOENT or ENOTDIR if a folder on the way is missing, EACCES with the reason for a link that is not
    ///   followed, EISDIR for a directory.
    package static func open(_ path: String, in root: Root) throws(SystemError) -> CallerFile {
        do throws(TrustError) {
            var walk = try PathWalk(root: root, rule: nil, links: LinkRule(root: root))
            guard let name = try walk.advance(along: path, followingLast: true) else {
                throw .system(isDirectory(root.display(path)))
            }
            return try CallerFile(root, walk, try walk.directory(), name)
        } catch {
            switch error {
            case .system(let error): throw error
            case .untrusted(let path, let reason):
                throw SystemError(operation: "follow", path: path, code: EACCES, reason: reason)
            }
        }
    }

    /// Walks to a file as ``open(_:in:)`` does; `nil` if a folder on the way is missing.
    package static func openIfPresent(_ path: String, in root: Root) throws(SystemError) -> CallerFile? {
        do throws(SystemError) {
            return try open(path, in: root)
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    private init(_ root: Root, _ walk: PathWalk, _ directory: DirectoryHandle, _ name: String) throws(TrustError) {
        (self.root, self.directory, self.name) = (root, directory, name)
        path = "\(walk.path)/\(name)"
        let shown = root.display(path)
        let isOpen = walk.links?.isDescriptors(directory) ?? false
        descriptor = isOpen ? Int32(name) : nil
        folder = try TrustError.lifting { () throws(SystemError) in
            try FileDescriptor.status(of: directory.raw, shown: shown)
        }
        status = try TrustError.lifting { () throws(SystemError) in
            try CallerFile.status(of: name, in: directory, shown: shown)
        }
        objection = status.flatMap { walk.links?.objection(to: $0) }
        if status?.kind == .directory { throw .system(CallerFile.isDirectory(shown)) }
    }

    /// The permission bits of an older file that belongs to the caller, which a new one keeps; `nil` for any other.
    package var keptMode: UInt32? {
        guard let status, status.kind == .regular, status.owner == geteuid() else { return nil }
        return status.mode & 0o777
    }

    /// Whether the file is a link that is not followed.
    package var isForeignLink: Bool { status?.kind == .link && descriptor == nil }

    /// The status of the file now, a link not followed; `nil` if there is none.
    package func currentStatus() throws(SystemError) -> FileStatus? {
        try CallerFile.status(of: name, in: directory, shown: shown)
    }

    /// Reads a whole regular file.
    ///
    /// - Throws: EFBIG beyond `limit` bytes, EACCES for a link, ESTALE if the file changed during each of three attempts.
    package func read(limit: Int) throws(SystemError) -> (bytes: [UInt8], status: FileStatus) {
        if isForeignLink { throw SystemError(operation: "read", path: shown, code: EACCES, reason: objection) }
        for _ in 1...3 {
            let file = try FileDescriptor.open(
                name, in: directory.raw, flags: OpenMode.read.flags | O_NOFOLLOW, shown: shown)
            if let result = try file.readWhole(limit: limit, shown: shown) { return result }
        }
        throw Root.changed(shown)
    }

    /// Writes new content: to a pipe or device directly, else to a file that takes the place of the older one in one step.
    ///
    /// - Parameters:
    ///   - pieces: the content.
    ///   - mode: the permission bits of the file, whatever the umask is.
    ///   - owner: user and group of the file; `nil` for those of this process.
    /// - Throws: errors of the system, after which an older file is unchanged, or why a pipe or device is not used.
    package func write(
        _ pieces: some Sequence<[UInt8]>, mode: UInt32, owner: (user: UInt32, group: UInt32)? = nil
    ) throws(SystemError) {
        if let descriptor {
            for piece in pieces { try FileDescriptor.write(piece, to: descriptor, shown: shown) }
            return
        }
        switch status?.kind {
        case nil, .regular, .link:
            // Opened for reading, because a folder is synced by such a descriptor.
            let folder = try FileDescriptor.open(".", in: directory.raw, flags: OpenMode.directory.flags, shown: shown)
            try ParentDirectory(descriptor: folder, name: name).replace(
                withPieces: pieces, mode: mode & 0o777, owner: owner, shown: shown)
        case .fifo, .character:
            let stream = try openStream()
            for piece in pieces { try stream.write(piece, shown: shown) }
        case .directory, .socket, .block, .other:
            throw refused("it is \(status?.kind.noun ?? ""), not a file")
        }
    }

    /// Opens a pipe, which waits for a reader, or a device.
    private func openStream() throws(SystemError) -> FileDescriptor {
        if let objection { throw refused(objection) }
        let node = try FileDescriptor.open(
            name, in: directory.raw, flags: OpenMode.lookup.flags | O_NOFOLLOW, shown: shown)
        guard let status, try node.status(shown: shown).isSameFile(as: status) else { throw Root.changed(shown) }
        // What was examined is opened, and not what has the name by now.
        return try FileDescriptor.open(
            "/proc/self/fd/\(node.raw)", in: AT_FDCWD, flags: O_WRONLY | O_NOCTTY | O_CLOEXEC, shown: shown)
    }

    /// Removes the file, or the link itself.
    package func remove() throws(SystemError) {
        // The string is valid for the duration of the call, which does not store a pointer to it.
        try SystemCall.run("remove", shown) { unsafe unlinkat(directory.raw, name, 0) }
    }

    /// The path for messages.
    private var shown: String { root.display(path) }

    /// The failure of what is not written.
    private func refused(_ reason: String) -> SystemError {
        SystemError(operation: "write", path: shown, code: EACCES, reason: reason)
    }

    /// The failure of a path that leads to a directory.
    private static func isDirectory(_ shown: String) -> SystemError {
        SystemError(operation: "write", path: shown, code: EISDIR, reason: "it is a directory, not a file")
    }

    /// The status of a name; `nil` if there is nothing of this name.
    private static func status(
        of name: String, in directory: DirectoryHandle, shown: String
    ) throws(SystemError) -> FileStatus? {
        do throws(SystemError) {
            return try FileDescriptor.status(of: name, in: directory.raw, followingLinks: false, shown: shown)
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }
}
