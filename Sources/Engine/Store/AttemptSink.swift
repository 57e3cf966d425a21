package import Audit

/// Where a store's audit records go: a machine's log or spool, or a test.
package protocol AttemptSink: Sendable {
    /// Stores or counts a record.
    func report(_ record: AuditRecord) -> Delivery
    /// Stores or counts an override attempt as the record that stands for it.
    func report(_ attempt: OverrideAttempt, as record: AuditRecord) -> Delivery
    /// Stores the counts of equal attempts.
    func flush() -> [Delivery]
}

extension AttemptSink {
    /// Stores or counts the record of an override attempt.
    package func report(_ attempt: OverrideAttempt, as record: AuditRecord) -> Delivery {
        report(record)
    }
}

extension AuditReporter: AttemptSink {}
