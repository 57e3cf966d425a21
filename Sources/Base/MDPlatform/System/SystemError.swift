import Glibc
import MDCPlatform

/// A system call that failed: what was tried, on which path, and why.
package struct SystemError: Error, Hashable, Sendable {
    /// The operation as a verb: `open`, `read`, `lock`.
    package let operation: String
    /// The path as people are shown it, not escaped.
    package let path: String
    /// The error number (errno.h).
    package let code: Int32
    /// A reason that is more precise than the text of the error number, or `nil`.
    package let reason: String?

    /// Describes a failure.
    package init(operation: String, path: String, code: Int32, reason: String? = nil) {
        self.operation = operation
        self.path = path
        self.code = code
        self.reason = reason
    }

    /// Whether the file, or a directory on the way to it, is not there.
    package var isMissing: Bool { code == ENOENT || code == ENOTDIR }

    /// Whether the caller lacks permission.
    package var isPermission: Bool { code == EACCES || code == EPERM || code == EROFS }

    /// Whether the disk or the quota is full.
    package var isNoSpace: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

    /// The reason alone: `Permission denied`.
    package var text: String { reason ?? SystemError.text(of: code) }

    /// The English text of an error number.
    package static func text(of code: Int32) -> String {
        // The C library's table of texts is constant, so the pointer stays valid for as long as the process runs.
        guard let text = unsafe cplatform_error_text(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}

extension SystemError: CustomStringConvertible {
    /// The failure as a sentence without its full stop: `cannot open /x: Permission denied`.
    package var description: String {
        "cannot \(Printable.escape(operation)) \(Printable.escape(path)): \(Printable.escape(text))"
    }
}

/// Failures by what they mean; numbers are from errno.h.
extension SystemError {
    /// Whether a time limit was reached.
    package var isTimeout: Bool { code == ETIMEDOUT }

    /// Whether the kernel denied permission.
    package var isForbidden: Bool { code == EACCES || code == EPERM }

    /// Whether the process or the machine lacks descriptors or memory.
    ///
    /// The state of the file is then unknown.
    package var isShortage: Bool { [EMFILE, ENFILE, ENOMEM, ENOBUFS, EAGAIN].contains(code) }

    /// Whether links lead in a circle.
    package var isLoop: Bool { code == ELOOP }

    /// Whether a name already exists.
    package var isTaken: Bool { code == EEXIST }

    /// Whether a file changed while it was read.
    package var isStale: Bool { code == ESTALE }

    /// Whether a file cannot be renamed because it would have to move to another file system.
    package var isOtherFileSystem: Bool { code == EXDEV }

    /// Whether something is in use, as a mount point is.
    package var isBusy: Bool { code == EBUSY }

    /// Whether the file system does not support the operation.
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

    /// Makes the error of a name that already exists.
    package static func taken(_ operation: String, path: String) -> SystemError {
        SystemError(operation: operation, path: path, code: EEXIST)
    }
}
