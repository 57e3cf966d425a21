package import Audit
package import Platform
package import Policy

/// What policy forces on one user, what that hides, and what the user tried.
package struct UserCompliance: Sendable {
    /// The user.
    package let account: Account
    /// The forced keys, by domain and key in byte order; those that are known, where not all of policy could be read.
    package let keys: [KeyCompliance]
    /// Whether all of policy could be read for the user's programs; where not, ``ComplianceReport/limits`` says why.
    package let isPolicyKnown: Bool
    /// The stored values that constraints do not allow, by domain and key.
    package let outside: [OutsideValue]
    /// The waivers that are meant for the user, in order of application, those that have ended included.
    package let waivers: [ResolvedWaiver]
    /// Whether the user's preference files could be looked at; where not, ``ComplianceReport/limits`` says why.
    package let isHomeRead: Bool
    /// The override attempts on record, oldest first.
    package let attempts: [AuditRecord]
    /// How many attempts did not fit into the user's spool, as the user's own file counts them.
    package let dropped: Int

    /// Makes a user's part of a report.
    package init(
        account: Account, keys: [KeyCompliance], outside: [OutsideValue] = [], waivers: [ResolvedWaiver] = [],
        isPolicyKnown: Bool = true, isHomeRead: Bool, attempts: [AuditRecord], dropped: Int = 0
    ) {
        self.account = account
        self.keys = keys
        self.isPolicyKnown = isPolicyKnown
        self.outside = outside
        self.waivers = waivers
        self.isHomeRead = isHomeRead
        self.attempts = attempts
        self.dropped = dropped
    }
}
