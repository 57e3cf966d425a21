import Glibc

/// A regular file that is read in pieces while others may append to it.
package struct ReadFile: ~Copyable {
    /// The open file.
    private let descriptor: FileDescriptor
    /// The path as people are shown it.
    private let shown: String

    /// Opens a regular file, links followed.
    package init(root: Root, path: String) throws(SystemError) {
        descriptor = try root.open(path, .read)
        shown = root.display(path)
    }

    /// What the kernel says about the file.
    package func status() throws(SystemError) -> FileStatus {
        try descriptor.status(shown: shown)
    }

    /// Reads up to `count` bytes at an offset, fewer only at the end of the file.
    package func read(offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        guard offset >= 0 else {
            throw SystemError(operation: "read", path: shown, code: EINVAL, reason: "the offset is negative")
        }
        return try descriptor.read(count: count, at: offset, shown: shown)
    }
}
