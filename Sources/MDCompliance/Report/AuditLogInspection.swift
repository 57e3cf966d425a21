package import MDAudit
import MDAuditClient
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// What a report reads from the audit log: the attempts of a period, and the result of checking the log.
struct AuditLogInspection: Sendable {
    /// The override attempts of the period, oldest first.
    private(set) var attempts: [AuditRecord] = []
    /// All records of entries that were set once, oldest first; `nil` if the log could not be read.
    private(set) var setOnce: [AuditRecord]?
    /// The records of the period about removed or changed marks of such entries, oldest first.
    private(set) var lostMarks: [AuditRecord] = []
    /// The changes of policy in the period, oldest first.
    private(set) var changes: [AuditRecord] = []
    /// The number of attempts of the period that were counted and not stored.
    private(set) var dropped = 0
    /// The result of checking the log.
    let log: LogCompliance
    /// A sentence for each part that this process may not read.
    private(set) var limits: [String] = []

    /// The directory of the log.
    private static let directory = "/var/log/managed-defaults"
    /// The policy record, which is never written without an audit record.
    private static let policyRecord = "/var/lib/managed-defaults/policy.record"

    /// Reads and checks the log of a root.
    ///
    /// - Parameters:
    ///   - root: the machine.
    ///   - policies: its policy; if that was recorded, there must be a log.
    ///   - since: the earliest time of attempts; `nil` for all.
    ///   - until: the latest time of attempts; `nil` for all.
    init(root: Root, policies: PolicySet, since: Timestamp? = nil, until: Timestamp? = nil) {
        if AuditLogInspection.isEmpty(root) {
            setOnce = []
            if AuditLogInspection.mustExist(root, policies) {
                log = LogCompliance(
                    status: .truncated, records: 0, dropped: 0, firstBad: 1,
                    detail: "There is no log at \(root.display(AuditLog.path)), although policy was recorded in one "
                        + "before; it was removed with its checkpoint.")
            } else {
                log = LogCompliance(
                    status: nil, records: 0, dropped: 0, firstBad: nil, detail: "Nothing was recorded yet.")
            }
            return
        }
        let kept = KeptLog(root)
        let verification = AuditVerifier.verify(root: root, held: kept.checkpoints, expectedBy: kept.witness)
        var allDropped = 0
        do throws(AuditError) {
            let store = AuditLog(root: root)
            let period = AuditQuery(since: since, until: until, kind: .drop)
            attempts = try store.records(matching: AuditQuery(since: since, until: until, kind: .override)).records
            let policy = try store.records(matching: AuditQuery(kind: .policy)).records
            // Whose records they are is only known with the key of the pseudonyms.
            let isUnknown = PrivacyMode(of: root).isPseudonymous && PseudonymKey(reading: root) == nil
            setOnce = isUnknown ? nil : policy.filter { $0.setOnceMark != nil }
            let own = policy.filter { record in
                guard let time = record.time else { return false }
                return since.map { time >= $0 } ?? true && until.map { time <= $0 } ?? true
            }
            lostMarks = own.filter { $0.lostMark != nil }
            changes = own.filter { $0.lostMark == nil && $0.setOnceMark == nil }
            for record in try store.records(matching: AuditQuery(kind: .drop)).records {
                // The log may have been altered, so a count may have any value.
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
            // If the owner of the log cannot read it, something is wrong with the log.
            isForbidden: verification.isForbidden && !PolicyStore(root: root).mayWrite)
    }

    /// Whether the directory of the log has no file of it.
    private static func isEmpty(_ root: Root) -> Bool {
        do {
            return try root.names(in: directory).allSatisfy {
                ["lock", "ballast"].contains($0) || $0.hasSuffix(".lock")
            }
        } catch {
            return error.isMissing
        }
    }

    /// Whether policy was recorded on this machine, which writes the log first.
    private static func mustExist(_ root: Root, _ policies: PolicySet) -> Bool {
        guard !policies.files.isEmpty else { return false }
        return (try? root.status(policyRecord, followingLinks: true)) != nil
    }
}

/// The result of checking the audit log.
package struct LogCompliance: Sendable {
    /// The state of the log; `nil` if nothing was ever recorded, so that there is no log.
    package let status: LogVerification.Status?
    /// The number of records in the log.
    package let records: Int
    /// The number of attempts that were counted and not stored, by the log.
    package let dropped: Int
    /// The place of the first record that is not as it was stored.
    package let firstBad: Int?
    /// What was found, in sentences.
    package let detail: String
    /// Whether the log is unchecked because this process may not read it.
    package let isForbidden: Bool

    package init(
        status: LogVerification.Status?, records: Int, dropped: Int, firstBad: Int?, detail: String,
        isForbidden: Bool = false
    ) {
        self.isForbidden = isForbidden
        self.status = status
        self.records = records
        self.dropped = dropped
        self.firstBad = firstBad
        self.detail = detail
    }

    /// Whether every record is as it was stored, which is also true if nothing was ever recorded; `nil` if unknown.
    package var isVerified: Bool? {
        switch status {
        case .intact, .gaps, nil: true
        case .unchecked where isForbidden: nil
        case .altered, .truncated, .unchecked: false
        }
    }
}
