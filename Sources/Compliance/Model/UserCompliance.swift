package import Audit
package import Platform

/// What policy forces on one user, what that hides, and what the user tried.
package struct UserCompliance: Sendable {
    /// The user.
    package let account: Account
    /// The forced keys, by domain and key in byte order.
    package let keys: [KeyCompliance]
    /// Whether the user's preference files could be looked at; where not, ``ComplianceReport/limits`` says why.
    package let isHomeRead: Bool
    /// The override attempts on record, oldest first.
    package let attempts: [AuditRecord]

    /// Makes a user's part of a report.
    package init(account: Account, keys: [KeyCompliance], isHomeRead: Bool, attempts: [AuditRecord]) {
        self.account = account
        self.keys = keys
        self.isHomeRead = isHomeRead
        self.attempts = attempts
    }
}
