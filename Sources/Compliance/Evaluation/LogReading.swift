package import Audit
import Engine
package import Platform
package import Policy
import PropertyList

/// The audit log, as far as it can be read: the attempts of a period, and what the check came to.
package struct LogReading: Sendable {
    /// The override attempts of the period, oldest first.
    package private(set) var attempts: [AuditRecord] = []
    /// The records of entries that were set once, of all time, oldest first; `nil` where the log could not be read.
    package private(set) var setOnce: [AuditRecord]?
    /// The records of the period that say that a mark of such an entry is gone or changed, oldest first.
    package private(set) var lostMarks: [AuditRecord] = []
    /// How many attempts of the period were counted and not stored.
    package private(set) var dropped = 0
    /// What the check came to.
    package let log: LogCompliance
    /// A sentence for what this process may not read.
    package private(set) var limits: [String] = []

    /// The directory of the log.
    private static let directory = "/var/log/managed-defaults"
    /// What tells that policy was recorded before, which is never done without a record in the log.
    private static let record = "/var/lib/managed-defaults/policy.record"

    /// Reads and checks the log of a root.
    ///
    /// - Parameters:
    ///   - root: the machine.
    ///   - policies: its policy; where that was recorded there must be a log.
    ///   - since: the earliest attempt; `nil` for all.
    ///   - until: the latest attempt; `nil` for all.
    package init(root: Root, policies: PolicySet, since: Timestamp? = nil, until: Timestamp? = nil) {
        if LogReading.isEmpty(root) {
            setOnce = []
            if LogReading.mustExist(root, policies) {
                log = LogCompliance(
                    status: .unchecked, records: 0, dropped: 0, firstBad: nil,
                    detail: "There is no log at \(root.display(AuditLog.path)), although policy was recorded in one "
                        + "before; it was removed with its checkpoint.")
            } else {
                log = LogCompliance(
                    status: nil, records: 0, dropped: 0, firstBad: nil, detail: "Nothing was recorded yet.")
            }
            return
        }
        let verification = AuditVerifier.verify(root: root)
        var allDropped = 0
        do throws(AuditError) {
            let store = AuditLog(root: root)
            let period = AuditQuery(since: since, until: until, kind: .drop)
            attempts = try store.records(matching: AuditQuery(since: since, until: until, kind: .override)).records
            let policy = try store.records(matching: AuditQuery(kind: .policy)).records
            setOnce = policy.filter { $0.setOnceMark != nil }
            lostMarks = policy.filter { record in
                guard record.lostMark != nil, let time = record.time else { return false }
                return since.map { time >= $0 } ?? true && until.map { time <= $0 } ?? true
            }
            for record in try store.records(matching: AuditQuery(kind: .drop)).records {
                // A count comes from the log, which may have been altered.
                let count = max(record.count ?? 1, 0)
                allDropped = allDropped.addingReportingOverflow(count).partialValue
                if period.matches(record) { dropped = dropped.addingReportingOverflow(count).partialValue }
            }
        } catch {
            limits.append("The override attempts on record are not known: \(error).")
        }
        log = LogCompliance(
            status: verification.status, records: verification.records, dropped: allDropped,
            firstBad: verification.firstBad, detail: verification.detail,
            // Who owns the log and cannot read it has a log that is not as it should be.
            isForbidden: verification.isForbidden && !PolicyStore(root: root).mayWrite)
    }

    /// Whether there is no file of a log.
    private static func isEmpty(_ root: Root) -> Bool {
        do {
            return try root.names(in: directory).allSatisfy { $0 == "lock" || $0.hasSuffix(".lock") }
        } catch {
            return error.isMissing
        }
    }

    /// Whether policy was recorded on this machine, which puts records into the log first.
    private static func mustExist(_ root: Root, _ policies: PolicySet) -> Bool {
        guard !policies.files.isEmpty else { return false }
        return (try? root.status(record, followingLinks: true)) != nil
    }
}
