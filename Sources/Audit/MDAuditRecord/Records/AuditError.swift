package import MDPlatform

/// An error of writing or reading the audit log.
package enum AuditError: Error, Hashable, Sendable {
    /// A system call failed.
    case system(SystemError)
    /// A line is not a record of this version; the reason has no full stop.
    case badRecord(String)
    /// Another process held the lock until the time limit.
    case busy(path: String)
}

extension AuditError: CustomStringConvertible {
    /// The reason without its full stop.
    package var description: String {
        switch self {
        case .system(let error): error.description
        case .badRecord(let reason): reason
        case .busy(let path):
            "another process, which hangs or has much to write, has had the lock of the audit log for too long "
                + "(\(Printable.escape(path)))"
        }
    }
}
