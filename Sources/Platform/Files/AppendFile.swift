import Glibc

/// A file that grows at its end.
///
/// One process at a time appends, under a `FileLock`.
package struct AppendFile: ~Copyable {
    /// The open file.
    private let descriptor: FileDescriptor
    /// The path as people are shown it.
    private let shown: String

    /// Opens a regular file, which is made with this mode where it is missing.
    package init(root: Root, path: String, mode: UInt32) throws(SystemError) {
        descriptor = try root.open(path, .append(mode: mode))
        shown = root.display(path)
    }

    /// What the kernel says about the file.
    package func status() throws(SystemError) -> FileStatus {
        try descriptor.status(shown: shown)
    }

    /// The size in bytes.
    package func size() throws(SystemError) -> Int {
        try status().size
    }

    /// Appends all bytes, or none: what was written before a failure is cut off again.
    package func append(_ bytes: [UInt8]) throws(SystemError) {
        let before = try size()
        do {
            try descriptor.write(bytes, shown: shown)
        } catch {
            // The first failure is the one to report; a file that cannot be cut keeps a torn line, which readers detect.
            _ = ftruncate(descriptor.raw, off_t(before))
            throw error
        }
    }

    /// Waits until all that was appended is on disk.
    package func sync() throws(SystemError) {
        let raw = descriptor.raw
        try SystemCall.run("sync", shown) { fdatasync(raw) }
    }

    /// Cuts the file to a size.
    package func truncate(to size: Int) throws(SystemError) {
        let raw = descriptor.raw
        try SystemCall.run("truncate", shown) { ftruncate(raw, off_t(max(size, 0))) }
    }

    /// Reads up to `count` bytes at an offset, fewer only at the end of the file.
    package func read(offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        guard offset >= 0 else {
            throw SystemError(operation: "read", path: shown, code: EINVAL, reason: "the offset is negative")
        }
        return try descriptor.read(count: count, at: offset, shown: shown)
    }
}
