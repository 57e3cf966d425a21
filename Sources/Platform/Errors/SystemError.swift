import CPlatform
import Glibc

/// A system call that failed: what was tried, on which path, and why.
package struct SystemError: Error, Hashable, Sendable {
    /// What was tried, as a verb: `open`, `read`, `lock`.
    package let operation: String
    /// The path as people are shown it, not escaped.
    package let path: String
    /// The error number (errno.h).
    package let code: Int32
    /// What is wrong in words that say more than the error number, or `nil`.
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
