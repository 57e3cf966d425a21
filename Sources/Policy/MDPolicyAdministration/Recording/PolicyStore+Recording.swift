package import MDPlatform
package import MDPolicyCore
package import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// Steps that only recording commands use.
extension PolicyStore {
    /// The result of recording.
    struct Recording {
        /// The recorded scan.
        let scan: PolicyScan
        /// The effective policy files.
        let set: PolicySet
        /// Whether the policy record on disk is up to date.
        let isRecorded: Bool
    }

    /// Runs an operation while no other process records.
    ///
    /// - Throws: why the lock could not be acquired.
    func locked<Result>(_ work: () -> Result) throws(SystemError) -> Result {
        try root.createDirectory(StorePath.home, mode: 0o755)
        let lock = try root.lock(StorePath.lock)
        // The lock must live until the end of the operation, although it is not read.
        return withExtendedLifetime(lock) { work() }
    }

    /// Runs an operation that may fail while no other process records.
    ///
    /// - Throws: what the operation throws, or why the lock could not be acquired.
    func exclusively<Value>(_ work: () throws(OperationError) -> Value) throws(OperationError) -> Value {
        let result: Result<Value, OperationError>
        do throws(SystemError) {
            result = try locked { Result { () throws(OperationError) in try work() } }
        } catch {
            throw OperationError(error)
        }
        return try result.get()
    }

    /// Scans policy, stores the copies, reports the changes, and then writes the policy record; under the lock.
    ///
    /// - Parameters:
    ///   - edit: the changes that the caller has made itself.
    ///   - report: gets the changes before they are recorded, so that none is lost in a crash; one may be reported
    ///       twice. If it returns false, they are not recorded and will be reported again.
    /// - Returns: the effective policy, and whether it could be recorded.
    func recordLocked(_ edit: PolicyRecordEdit, report: ([PolicyChange]) -> Bool) -> Recording {
        var edit = edit
        edit.names = Delegates(of: root).names
        let scan = scan(.recording(verifications, edit))
        var problems: [Diagnostic] = []
        var isRecorded = false
        if let obstacle = scan.obstacle {
            let why = "not all of policy is known, and the record would say that the rest was never in force: "
            problems.append(notRecorded((scan.inspection.isOfNewerEngine ? "" : why) + obstacle))
        } else {
            do throws(SystemError) {
                try RecordedCopies(root: root).store(scan.etc.bytes.merging(scan.run.bytes) { $1 })
                isRecorded = try write(scan, report)
                try DelegateAccess.renew(root)
            } catch {
                problems.append(notRecorded(error))
            }
        }
        return Recording(scan: scan, set: scan.set(more: problems), isRecorded: isRecorded)
    }

    /// Writes the policy record if it changed, and removes copies that it does not refer to.
    ///
    /// - Returns: whether the policy record on disk is up to date.
    private func write(_ scan: PolicyScan, _ report: ([PolicyChange]) -> Bool) throws(SystemError) -> Bool {
        if !scan.isRecorded {
            var changes = scan.changes
            if let loss = scan.inspection.failure {
                let note = "the record could not be used, and is written anew: \(loss)"
                changes.append(PolicyChange(path: StorePath.record, from: nil, to: nil, note: note))
            }
            // Reporting may replace the file that has the newest time.
            let carried = TimeFloor(root: root).carried
            guard changes.isEmpty || report(changes) else { return false }
            try put(scan.record.encoded(), at: StorePath.record, carrying: carried)
        }
        try RecordedCopies(root: root).removeAll(except: scan.record.digests)
        if root.isSystem, let ledger = scan.ledger, ledger != NameLedger(root: root) {
            // Without it times begin again, and what was in force stays so.
            try? put(ledger.encoded(), at: NameLedger.path, durable: false)
        }
        return true
    }

    /// Records policy after the caller removed files.
    ///
    /// - Parameters:
    ///   - removed: names that the caller removed from a directory; their entries end at once, without a second
    ///       listing.
    ///   - place: that directory.
    ///   - report: gets the changes before they are recorded.
    /// - Throws: why the policy record could not be updated; the removed files then stay in force until `policy apply`.
    package func record(
        removing removed: [String] = [], from place: PolicyDirectory = .run, report: ([PolicyChange]) -> Bool
    ) throws(SystemError) {
        let files = Set(removed.map { PolicyRecord.FileName(place: place, name: Key($0)) })
        let recording = try locked { recordLocked(PolicyRecordEdit(removed: files), report: report) }
        if let failure = failure(of: recording) { throw failure }
    }

    /// Why something is not recorded; `nil` if it is.
    func failure(of recording: Recording) -> SystemError? {
        if recording.isRecorded { return nil }
        let finding = recording.set.problems.first { $0.code == LintCode.notRecorded.rawValue }
        return SystemError(
            operation: "write", path: root.display(StorePath.record), code: PolicyStore.ioError,
            reason: finding?.message ?? "the changes could not be recorded in the audit log")
    }

    /// EIO: the policy record could not be written for a reported reason.
    private static var ioError: Int32 { 5 }

    /// Records the ids of names in files that will be written next; under the lock.
    ///
    /// The next recording retains those that are in use.
    ///
    /// If that fails, programs know the ids only after the next recording.
    func recordIDs(ofNamesIn policies: [PolicyFile]) {
        let wanted = NameResolver.Names(policies)
        let inspection = PolicyRecordInspection(root: root)
        // Without a policy record no program knows any id.
        guard root.isSystem, !wanted.isEmpty, let bytes = inspection.bytes else { return }
        var record = inspection.record
        let found = NameResolver.renewed(
            wanted, recorded: record.names, accounts: accounts ?? AccountDatabase(root: root), inquiry: inquiry
        ).ids
        record.names.users.merge(found.users) { $1 }
        record.names.groups.merge(found.groups) { $1 }
        let learned = record.encoded()
        if learned != bytes { try? put(learned, at: StorePath.record) }
    }

    /// Replaces a file of the store and preserves the newest recorded time.
    ///
    /// - Parameters:
    ///   - bytes: the new content.
    ///   - path: its path.
    ///   - durable: whether to sync it to disk.
    ///   - time: the future time that was recorded before, if the caller has read it already.
    /// - Throws: why it cannot be written.
    func put(
        _ bytes: [UInt8], at path: String, durable: Bool = true, carrying time: Timestamp? = nil
    ) throws(SystemError) {
        try root.replace(
            path, with: bytes, mode: 0o644, durable: durable, modified: time ?? TimeFloor(root: root).carried)
    }

    /// The finding for a failed write.
    func notRecorded(_ error: some CustomStringConvertible) -> Diagnostic {
        Diagnostic(
            file: root.display(StorePath.home), severity: .warning, code: .notRecorded,
            message: "what is in force could not be recorded: \(error)")
    }
}
