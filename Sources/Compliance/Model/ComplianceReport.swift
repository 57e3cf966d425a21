package import Audit
package import Platform
package import Policy

/// Everything that a compliance report says, evaluated once; renderers only write it down.
package struct ComplianceReport: Sendable {
    /// The title that was asked for.
    package let title: String?
    /// The machine's root, for showing paths.
    package let root: Root
    /// The host.
    package let host: HostName
    /// When the report was made, by this machine's clock.
    package let generated: Timestamp
    /// The version of the program that made it.
    package let version: String
    /// The earliest attempt that was asked for; `nil` for all.
    package let since: Timestamp?
    /// The latest attempt that was asked for; `nil` for all.
    package let until: Timestamp?
    /// Whether the machine has policy at all.
    package let isManaged: Bool
    /// The digest of all policy that is in force; `nil` where nobody can tell what that is.
    package let policyDigest: Digest?
    /// The policy files, in the order in which they apply.
    package let files: [LoadedFile]
    /// The users, in the order of the user database.
    package let users: [UserCompliance]
    /// The override attempts of nobody among ``users``.
    package let otherAttempts: [AuditRecord]
    /// What the audit log proves.
    package let log: LogCompliance
    /// What is wrong or worth knowing, the gravest first.
    package let findings: [Finding]
    /// A sentence for each thing that could not be looked at; empty where the report is complete.
    package let limits: [String]
    /// The numbers.
    package let summary: ReportSummary

    /// Every override attempt, by its place in the log.
    package var attempts: [AuditRecord] {
        (users.flatMap(\.attempts) + otherAttempts).sorted { $0.seq < $1.seq }
    }

    /// Whether policy constrains a key of somebody.
    package let hasConstraints: Bool

    /// What the report comes to, as far as the caller may read the audit log.
    ///
    /// Values that users have stored beneath forced keys have no effect and do not count against it.
    package var verdict: ComplianceVerdict {
        if findings.contains(where: { $0.severity == .error }) { return .notCompliant }
        return summary.keys == 0 && !hasConstraints ? .nothing : .compliant
    }

    /// Whether there is policy, which is in force as written, and the audit log verifies.
    package var isCompliant: Bool { verdict == .compliant }
}
