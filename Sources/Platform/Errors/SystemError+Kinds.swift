import Glibc

/// Failures by what they mean; numbers are from errno.h.
extension SystemError {
    /// Whether something was waited for as long as allowed, and did not come.
    package var isTimeout: Bool { code == ETIMEDOUT }

    /// Whether somebody may not do what he asked for.
    package var isForbidden: Bool { code == EACCES || code == EPERM }

    /// Whether the process or the machine lacks descriptors or memory: the answer is unknown, and says nothing of the file.
    package var isShortage: Bool { [EMFILE, ENFILE, ENOMEM, ENOBUFS, EAGAIN].contains(code) }

    /// Whether a name is taken already.
    package var isTaken: Bool { code == EEXIST }

    /// Whether a file changed while it was read.
    package var isStale: Bool { code == ESTALE }

    /// Whether a file cannot be renamed because it would have to move to another file system.
    package var isOtherFileSystem: Bool { code == EXDEV }

    /// Whether something is in use, as a mount point is.
    package var isBusy: Bool { code == EBUSY }

    /// Whether the file system lacks what was asked of it.
    package var isUnsupported: Bool {
        code == EOPNOTSUPP || code == ENOSYS || code == EINVAL || code == ENOLCK
    }

    /// Whether a file cannot have a second name, here or by the rules of the machine.
    package var isWithoutHardLinks: Bool {
        code == EPERM || code == EOPNOTSUPP || code == ENOSYS || code == EMLINK
    }

    /// Whether a file has more bytes than are allowed.
    package var isTooLarge: Bool { code == EFBIG }

    /// The failure of a file that would be larger than it may be.
    package static func tooLarge(_ operation: String, path: String, limit: Int) -> SystemError {
        SystemError(operation: operation, path: path, code: EFBIG, reason: "it would be larger than \(limit) bytes")
    }

    /// The failure of a name that is taken.
    package static func taken(_ operation: String, path: String) -> SystemError {
        SystemError(operation: operation, path: path, code: EEXIST)
    }
}
