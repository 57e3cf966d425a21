import Glibc

/// A regular file that stays open, to be read piece by piece.
package final class OpenFile: Sendable {
    /// The status of the file when it was opened.
    package let status: FileStatus
    /// The path as people are shown it.
    private let shown: String
    /// The number that the kernel knows it by; closed with this object.
    private let descriptor: Int32

    /// Takes ownership of an open file.
    ///
    /// - Throws: errors of fstat(2), or that it is not a regular file.
    init(owning descriptor: consuming FileDescriptor, shown: String) throws(SystemError) {
        status = try descriptor.status(shown: shown)
        try Root.requireRegular(status, "read", shown: shown)
        self.shown = shown
        self.descriptor = descriptor.release()
    }

    deinit {
        _ = close(descriptor)
    }

    /// Reads bytes at an offset into a buffer.
    ///
    /// - Returns: how many bytes were read: fewer than the buffer has only at the end of the file.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemError) -> Int {
        guard let base = buffer.baseAddress else { return 0 }
        var filled = 0
        while filled < buffer.count {
            // The buffer has this many bytes left, and each call writes at most those.
            let length = unsafe pread(descriptor, base + filled, buffer.count - filled, off_t(offset + filled))
            if length > 0 {
                filled += length
            } else if length == 0 {
                break
            } else if errno != EINTR {
                throw SystemError(operation: "read", path: shown, code: errno)
            }
        }
        return filled
    }

    /// Whether another process holds a lock for writing on the first byte.
    ///
    /// Only a process that may write the file can hold one, and the lock ends with that process. One system call.
    package var isLockedForWriting: Bool {
        var lock = flock()
        lock.l_type = Int16(F_RDLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_len = 1
        // The structure outlives the call, which fills in the lock that a lock for reading would wait for.
        guard unsafe fcntl(descriptor, F_GETLK, &lock) == 0 else { return false }
        return lock.l_type == Int16(F_WRLCK)
    }
}

/// A file that grows at its end.
///
/// One process at a time appends, under a `FileLock`.
package struct AppendFile: ~Copyable {
    /// The open file.
    private let descriptor: FileDescriptor
    /// The path as people are shown it.
    private let shown: String

    /// Opens a regular file, which is created with this mode if missing.
    package static func open(root: Root, path: String, mode: UInt32) throws(SystemError) -> AppendFile {
        AppendFile(descriptor: try root.open(path, .append(mode: mode)), shown: root.display(path))
    }

    /// Reads the status of the file.
    package func status() throws(SystemError) -> FileStatus {
        try descriptor.status(shown: shown)
    }

    /// The size in bytes.
    package func size() throws(SystemError) -> Int {
        try status().size
    }

    /// Appends all bytes, or none: what was written before a failure is cut off again.
    ///
    /// - Parameters:
    ///   - bytes: the bytes.
    ///   - known: the size of the file, if the caller knows it.
    /// - Throws: the first error of writing.
    package func append(_ bytes: [UInt8], after known: Int? = nil) throws(SystemError) {
        let before: Int
        if let known { before = known } else { before = try size() }
        do {
            try descriptor.write(bytes, shown: shown)
        } catch {
            // The first error is the one to report; a file that cannot be cut has a torn last line, which readers
            // detect.
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

/// A regular file that is read in pieces while other processes may append to it.
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

    /// Reads the status of the file.
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
