package import Audit

/// Where a store's audit records go: a machine's log or spool, or a test.
package protocol AttemptSink: Sendable {
    /// Stores or counts a record.
    func report(_ record: AuditRecord) -> Delivery
    /// Stores the counts of equal attempts.
    func flush() -> [Delivery]
}

extension AuditReporter: AttemptSink {}
