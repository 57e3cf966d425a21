package import Platform

/// Why the audit log could not be written or read.
package enum AuditError: Error, Hashable, Sendable {
    /// A system call failed.
    case system(SystemError)
    /// A line is no record of this version; the reason says what and where, without a full stop.
    case badRecord(String)
    /// Another process held the log for as long as this one waited.
    case busy(path: String)
}

extension AuditError: CustomStringConvertible {
    /// The reason without its full stop.
    package var description: String {
        switch self {
        case .system(let error): error.description
        case .badRecord(let reason): reason
        case .busy(let path):
            "the audit log was locked for too long by another process (\(Printable.escape(path)))"
        }
    }
}
