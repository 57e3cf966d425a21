import Glibc

/// A regular file that stays open, to be read piece by piece.
package final class OpenFile: Sendable {
    /// What the kernel said of it when it was opened.
    package let status: FileStatus
    /// The path as people are shown it.
    private let shown: String
    /// The number that the kernel knows it by; closed with this object.
    private let descriptor: Int32

    /// Takes over an open file.
    ///
    /// - Throws: what the kernel says of it, or that it is no regular file.
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
    /// Only who may write the file can hold one, and it ends with that process. One system call.
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
