import MDAuditClient
import MDAuditRecord
package import MDPlatform
package import MDPolicyCore
import MDPolicyModel

/// Puts changes of what is in force into the audit log, before they count as recorded.
package struct PolicyChangeRecorder: Sendable {
    /// What stores the records.
    private let reporter: AuditReporter
    /// The time of changes; `nil` for that of the clock.
    private let time: Timestamp?

    /// Makes a recorder.
    package init(root: Root, time: Timestamp? = nil) {
        reporter = AuditReporter(root: root, stateDirectory: nil)
        self.time = time
    }

    /// Why records are not in the log, or what was wrong with it, as a sentence; `nil` in the usual case.
    package var problem: String? { reporter.alarm() }

    /// Stores a `policy` record for each change.
    ///
    /// - Parameter changes: what differs from what was recorded.
    /// - Returns: whether every record is in the log; if not, the changes come again.
    package func record(_ changes: [PolicyChange]) -> Bool {
        var isComplete = true
        for start in stride(from: 0, to: changes.count, by: PolicyChangeRecorder.batch) {
            let records = changes[start..<min(start + PolicyChangeRecorder.batch, changes.count)].map { change in
                // The record has a place for the new digest only.
                let from = change.from.flatMap { $0 == change.to ? nil : "; from sha256 \($0.hex)" }
                var record = AuditRecord(kind: .policy, src: .client, note: change.note + (from ?? ""))
                record.time = time
                record.stamp(with: nil)
                record.policy = PolicyReference(file: change.path, sha256: change.to)
                return record
            }
            for delivery in reporter.report(records) {
                if case .stored = delivery { continue }
                isComplete = false
            }
        }
        return isComplete
    }

    /// How many records are stored at once, so that other writers do not wait long for the log.
    private static let batch = 256

    /// Stores a `policy` record that says that an installation begins.
    ///
    /// - Parameter note: what is installed and why.
    /// - Returns: whether the record is in the log.
    package func recordInstallation(_ note: String) -> Bool {
        var record = AuditRecord(kind: .policy, src: .client, note: "\(note) begins")
        record.stamp(with: nil)
        if case .stored = reporter.report(record) { return true }
        return false
    }

    /// Stores a `policy` record that says that a rollback begins.
    ///
    /// - Parameters:
    ///   - generation: the number of the generation that comes back.
    ///   - digest: its digest.
    /// - Returns: whether the record is in the log.
    package func recordRollback(to generation: Int, digest: Digest) -> Bool {
        var record = AuditRecord(kind: .policy, src: .client, note: "rollback to generation \(generation) begins")
        record.stamp(with: nil)
        record.policy = PolicyReference(file: "\(StorePath.generations)/\(generation).manifest", sha256: digest)
        if case .stored = reporter.report(record) { return true }
        return false
    }
}
