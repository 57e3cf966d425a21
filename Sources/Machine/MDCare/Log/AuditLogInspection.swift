package import MDAuditLog
package import MDAuditReading
import MDAuditRecord
package import MDPlatform
import MDPolicyAdministration
package import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
package import MDPropertyList

/// What a report reads from the audit log: the attempts of a period, and the result of checking the log.
package struct AuditLogInspection: Sendable {
    /// The records that matter.
    package private(set) var records: LogRecords
    /// The number of attempts in the period before, which is as long; `nil` if the period has no beginning.
    package private(set) var before: (since: Timestamp, attempts: Int)?
    /// The newest checkpoint, which a later log must continue.
    package let head: Checkpoint?
    /// The result of checking the log.
    package private(set) var log = LogCompliance(
        status: nil, records: 0, dropped: 0, firstBad: nil, detail: "Nothing was recorded yet.")
    /// A sentence for each part that this process may not read.
    package private(set) var limits: [String] = []

    /// The directory of the log.
    private static let directory = "/var/log/managed-defaults"

    /// Reads and checks the log of a root.
    ///
    /// - Parameters:
    ///   - root: the machine.
    ///   - policies: its policy, which says what is sensitive; if it was recorded, there must be a log.
    ///   - period: the period of attempts and changes.
    package init(root: Root, policies: PolicySet, _ period: Period) {
        records = LogRecords(period, owner: root.owner, names: PeopleNames(root: root))
        head = Checkpoint.newest(of: root)
        if AuditLogInspection.isEmpty(root) {
            if !policies.files.isEmpty, KeptLog.mustExist(root) {
                log = LogCompliance(
                    status: .truncated, records: 0, dropped: 0, firstBad: 1,
                    detail: "There is no log at \(root.display(AuditLog.path)), although policy was recorded in one "
                        + "before; it was removed with its checkpoint.")
            }
            return
        }
        let kept = KeptLog(root)
        // The files are read once: each line is checked and counted while it is in memory.
        let pass = LogPass(records, hiding: ManifestSecrets(of: policies, root: root))
        let verification = AuditVerifier.verify(
            root: root, held: kept.checkpoints, expectedBy: kept.witness, reader: pass)
        do throws(AuditError) {
            // Without a checkpoint nothing was read.
            if !pass.isFinished { try pass.read(root) }
            records = pass.reader
            records.finish()
            before = records.before
        } catch {
            limits.append("The override attempts on record are not known: \(error).")
        }
        log = LogCompliance(
            status: verification.status, records: verification.records, dropped: records.allDropped,
            firstBad: verification.firstBad, detail: verification.detail,
            // If the owner of the log cannot read it, something is wrong with the log.
            isForbidden: verification.isForbidden && !PolicyStore(root: root).mayWrite)
    }

    /// The times that a report is about.
    package struct Period: Sendable {
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

        /// Makes a period.
        package init(
            since: Timestamp? = nil, until: Timestamp? = nil, now: Timestamp, zone: Zone, isWhole: Bool = true
        ) {
            (self.since, self.until, self.now, self.zone, self.isWhole) = (since, until, now, zone, isWhole)
        }

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

    /// Writes the members of what was found.
    package func write(to json: inout JSONWriter) {
        json.field("verified", isVerified)
        json.field("status", status?.rawValue ?? "none")
        json.field("records", records)
        json.field("dropped", dropped)
        json.field("firstBad", firstBad)
        json.field("detail", detail)
    }
}
