package import Audit

/// Where a store's audit records go: a machine's log or spool, or a test.
package protocol AttemptSink: Sendable {
    /// Stores or counts a record.
    func report(_ record: AuditRecord) -> Delivery
    /// Stores or counts an override attempt as its record, which reads manifests and the machine's key when it is made.
    func report(_ attempt: OverrideAttempt, as record: @autoclosure () -> AuditRecord) -> Delivery
    /// Stores or counts a write that was refused while policy or the user is unknown, as its record.
    func report(_ write: UnstoredWrite, as record: @autoclosure () -> AuditRecord) -> Delivery
    /// Stores the counts of equal attempts.
    func flush() -> [Delivery]
}

extension AttemptSink {
    /// Stores or counts the record of an override attempt.
    package func report(_ attempt: OverrideAttempt, as record: @autoclosure () -> AuditRecord) -> Delivery {
        report(record())
    }

    /// Stores or counts the record of a write that was refused while policy or the user is unknown.
    package func report(_ write: UnstoredWrite, as record: @autoclosure () -> AuditRecord) -> Delivery {
        report(record())
    }
}

extension AuditReporter: AttemptSink {}
