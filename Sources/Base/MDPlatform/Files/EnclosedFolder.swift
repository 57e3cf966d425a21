import Glibc

/// A folder that may belong to somebody else, and whose files are read without a link leading out of it.
///
/// Links are resolved name by name, each one opened without following it, so that what is judged is what is read,
/// whatever its owner changes meanwhile.
package final class EnclosedFolder: Sendable {
    /// A file of the folder, as it was read.
    package struct File {
        /// The content.
        package let bytes: [UInt8]
        /// The status of the open file.
        package let status: FileStatus
        /// The directory that has the file: its path without any link in it, and its owner.
        package let directory: (path: String, owner: UInt32)
    }

    /// The uid that owns it.
    package let owner: UInt32
    /// Its path without any link in it; empty for `/`.
    package var path: String { directory.path }

    private let directory: DirectoryHandle
    /// The path that nothing leads out of: that of the folder, or of the one that it was opened in.
    private let boundary: String

    /// Opens a folder; links on the way to it are followed, because the caller names it.
    package convenience init(_ path: String) throws(SystemError) {
        try self.init(try EnclosedFolder.resolve(path + "/").directory, boundary: nil, shown: path)
    }

    private init(_ directory: DirectoryHandle, boundary: String?, shown: String) throws(SystemError) {
        (self.directory, self.boundary) = (directory, boundary ?? directory.path)
        owner = try FileDescriptor.status(of: directory.raw, shown: shown).owner
    }

    /// The names in it, in byte order, without `.` and `..`.
    package func names() throws(SystemError) -> [String] {
        try FileDescriptor.names(in: directory.raw, shown: path)
    }

    /// What a name is; a link is not followed.
    package func kind(of name: String) throws(SystemError) -> FileKind {
        try FileDescriptor.status(of: name, in: directory.raw, followingLinks: false, shown: place(name)).kind
    }

    /// The text of a link.
    package func linkTarget(_ name: String) throws(SystemError) -> String {
        try FileDescriptor.linkTarget(of: name, in: directory.raw, shown: place(name))
    }

    /// Opens a folder in it, which has the same boundary; `nil` if the name is no folder.
    ///
    /// - Throws: EXDEV for a link that leads out of the boundary.
    package func folder(_ name: String) throws(SystemError) -> EnclosedFolder? {
        do {
            let found = try EnclosedFolder.resolve(place(name) + "/").directory
            try requireInside(found.path, name)
            return try EnclosedFolder(found, boundary: boundary, shown: place(name))
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    /// Reads a regular file; a link to a file within the boundary is followed.
    ///
    /// - Throws: EXDEV for a link that leads out of the boundary, EFBIG beyond `limit` bytes, EISDIR or EINVAL for
    ///   anything but a regular file, ESTALE if the file changed during each of three attempts.
    package func read(_ name: String, limit: Int) throws(SystemError) -> File {
        for _ in 0..<3 {
            let found = try EnclosedFolder.resolve(place(name))
            try requireInside("\(found.directory.path)/\(found.name ?? "")", name)
            let owner = try FileDescriptor.status(of: found.directory.raw, shown: found.directory.path).owner
            let file = try FileDescriptor.open(
                found.name ?? ".", in: found.directory.raw, flags: OpenMode.read.flags | O_NOFOLLOW, shown: place(name))
            guard let content = try file.readWhole(limit: limit, shown: place(name)) else { continue }
            return File(
                bytes: content.bytes, status: content.status, directory: (path: found.directory.path, owner: owner))
        }
        throw Root.changed(place(name))
    }

    private func place(_ name: String) -> String { "\(path)/\(name)" }

    /// Refuses a path that is not within the boundary.
    private func requireInside(_ real: String, _ name: String) throws(SystemError) {
        if real.utf8.starts(with: "\(boundary)/".utf8) { return }
        throw SystemError(
            operation: "read", path: place(name), code: EXDEV,
            reason: "it is a link that leads out of \(boundary), to \(real)")
    }

    /// Walks a path of the running system.
    private static func resolve(_ path: String) throws(SystemError) -> (directory: DirectoryHandle, name: String?) {
        do throws(TrustError) {
            var walk = try PathWalk(root: .system, rule: nil)
            let name = try walk.advance(along: path, followingLast: true)
            return (try walk.directory(), name)
        } catch {
            if case .system(let failure) = error { throw failure }
            // A walk without a rule objects to nothing.
            throw SystemError(operation: "open", path: path, code: EACCES)
        }
    }
}
