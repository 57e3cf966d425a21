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
    /// The override attempts of the period, oldest first; empty if only their numbers are wanted.
    private(set) var attempts: [AuditRecord] = []
    /// The numbers of the override attempts of the period.
    private(set) var tally: AttemptTally
    /// The number of attempts in the period before, which is as long; `nil` if the period has no beginning.
    private(set) var before: (since: Timestamp, attempts: Int)?
    /// The newest checkpoint, which a later log must continue.
    let head: Checkpoint?
    /// All records of entries that were set once, oldest first; `nil` if the log could not be read.
    private(set) var setOnce: [AuditRecord]?
    /// The records of the period about removed or changed marks of such entries, oldest first.
    private(set) var lostMarks: [AuditRecord] = []
    /// What changed in the period.
    private(set) var history = PolicyHistory()
    /// The number of attempts of the period that were counted and not stored.
    private(set) var dropped = 0
    /// The result of checking the log.
    private(set) var log = LogCompliance(
        status: nil, records: 0, dropped: 0, firstBad: nil, detail: "Nothing was recorded yet.")
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
    ///   - period: the period of attempts and changes.
    init(root: Root, policies: PolicySet, _ period: Period) {
        tally = AttemptTally(zone: period.zone)
        head = ReportEvidence.head(of: root)
        if AuditLogInspection.isEmpty(root) {
            setOnce = []
            if AuditLogInspection.mustExist(root, policies) {
                log = LogCompliance(
                    status: .truncated, records: 0, dropped: 0, firstBad: 1,
                    detail: "There is no log at \(root.display(AuditLog.path)), although policy was recorded in one "
                        + "before; it was removed with its checkpoint.")
            }
            return
        }
        let kept = KeptLog(root)
        let verification = AuditVerifier.verify(root: root, held: kept.checkpoints, expectedBy: kept.witness)
        var allDropped = 0
        do throws(AuditError) {
            try read(AuditLog(root: root), period, &allDropped)
            // Whose records they are is only known with the key of the pseudonyms.
            if PrivacyMode(of: root).isPseudonymous, PseudonymKey(reading: root) == nil { setOnce = nil }
        } catch {
            setOnce = nil
            limits.append("The override attempts on record are not known: \(error).")
        }
        log = LogCompliance(
            status: verification.status, records: verification.records, dropped: allDropped,
            firstBad: verification.firstBad, detail: verification.detail,
            // If the owner of the log cannot read it, something is wrong with the log.
            isForbidden: verification.isForbidden && !PolicyStore(root: root).mayWrite)
    }

    /// The times that a report is about.
    struct Period: Sendable {
        /// The earliest time; `nil` for all.
        var since: Timestamp?
        /// The latest time; `nil` for all.
        var until: Timestamp?
        /// When the report is made, which is the end of a period without one.
        var now: Timestamp
        /// The zone of days and hours.
        var zone: Zone
        /// Whether the attempts themselves are wanted, and not only their numbers.
        var isWhole = true

        /// The period before, which is as long and ends just before this one; `nil` if this one has no beginning.
        var before: (since: Timestamp, until: Timestamp)? {
            guard let since else { return nil }
            let (start, end) = (since.microseconds, (until ?? now).microseconds)
            guard Timestamp.range.contains(start), Timestamp.range.contains(end), end > start,
                Timestamp.range.contains(start - (end - start))
            else { return nil }
            return (Timestamp(microseconds: start - (end - start)), Timestamp(microseconds: start - 1))
        }
    }

    /// Reads the records that matter, kind by kind, as the indexes of the segments find them.
    private mutating func read(_ store: AuditLog, _ period: Period, _ allDropped: inout Int) throws(AuditError) {
        let (since, until) = (period.since, period.until)
        try store.forEachEntry(matching: AuditQuery(since: since, until: until, kind: .override)) { record, _ in
            tally.add(record)
            if period.isWhole { attempts.append(record) }
        }
        if let range = period.before {
            var earlier = AttemptTally(zone: .utc)
            try store.forEachEntry(
                matching: AuditQuery(since: range.since, until: range.until, kind: .override)
            ) { record, _ in earlier.add(record) }
            before = (range.since, earlier.attempts)
        }
        let query = AuditQuery(since: since, until: until)
        setOnce = []
        try store.forEachEntry(matching: AuditQuery(kind: .policy)) { record, _ in
            if record.setOnceMark != nil { setOnce?.append(record) }
            history.addBeginning(record)
            guard record.time != nil, query.matches(record) else { return }
            if record.lostMark != nil {
                lostMarks.append(record)
            } else if record.setOnceMark == nil {
                history.add(record)
            }
        }
        for kind in [RecordKind.grant, .recover, .gap, .damaged] {
            try store.forEachEntry(matching: AuditQuery(since: since, until: until, kind: kind)) { record, _ in
                history.add(record)
            }
        }
        history.sort()
        try store.forEachEntry(matching: AuditQuery(kind: .drop)) { record, _ in
            // The log may have been altered, so a count may have any value.
            let count = max(record.count ?? 1, 0)
            allDropped = allDropped.addingReportingOverflow(count).partialValue
            if query.matches(record) { dropped = dropped.addingReportingOverflow(count).partialValue }
        }
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
