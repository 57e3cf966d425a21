package import Platform
import PropertyList

/// What only the recording verbs do.
extension PolicyStore {
    /// What came of recording.
    struct Recording {
        /// The look that was recorded.
        let pass: PolicyPass
        /// What is in force.
        let set: PolicySet
        /// Whether the record on the disk says what is in force.
        let isRecorded: Bool
    }

    /// Works while no other process records.
    ///
    /// - Throws: why the lock could not be had.
    func locked<Result>(_ work: () -> Result) throws(SystemError) -> Result {
        try root.createDirectory(StorePath.home, mode: 0o755)
        let lock = try root.lock(StorePath.lock)
        // Held until the end of the work, whatever the optimizer thinks of a value that is not read.
        return withExtendedLifetime(lock) { work() }
    }

    /// Looks, stores the copies, has the changes reported, and then writes the record; under the lock.
    ///
    /// - Parameters:
    ///   - edit: what is known of names that the caller has changed itself.
    ///   - report: gets the changes before they are recorded, so that none is lost in a crash, and one may be reported
    ///     twice. If it answers false they stay unrecorded, and come again.
    /// - Returns: what is in force, and whether that could be recorded.
    func recordLocked(_ edit: RecordEdit, report: ([PolicyChange]) -> Bool) -> Recording {
        let pass = look(.recording(verifications, edit))
        var problems: [Diagnostic] = []
        var isRecorded = false
        if let obstacle = pass.obstacle {
            problems.append(
                notRecorded(
                    "not all of policy is known, and the record would say that the rest was never in"
                        + " force: \(obstacle)"))
        } else {
            do throws(SystemError) {
                try GoodCopies(root: root).store(pass.etc.bytes.merging(pass.run.bytes) { $1 })
                isRecorded = try write(pass, report)
            } catch {
                problems.append(notRecorded(error))
            }
        }
        return Recording(pass: pass, set: pass.set(more: problems), isRecorded: isRecorded)
    }

    /// Writes the record if it says something else, and removes the copies that it does not speak of.
    ///
    /// - Returns: whether the record on the disk says what the look found.
    private func write(_ pass: PolicyPass, _ report: ([PolicyChange]) -> Bool) throws(SystemError) -> Bool {
        if !pass.isRecorded {
            var changes = pass.changes
            if let loss = pass.reading.failure {
                let note = "the record could not be used, and is written anew: \(loss)"
                changes.append(PolicyChange(path: StorePath.record, from: nil, to: nil, note: note))
            }
            // What is reported may replace the file that has the newest time.
            let carried = ClockFloor(root: root).carried
            guard changes.isEmpty || report(changes) else { return false }
            try put(pass.record.encoded(), at: StorePath.record, carrying: carried)
        }
        try GoodCopies(root: root).removeAll(except: pass.record.digests)
        return true
    }

    /// Records what is in force.
    ///
    /// - Parameters:
    ///   - removed: names that the caller took out of a directory: their record ends at once, and no second listing is
    ///     waited for.
    ///   - place: the directory that they were taken out of.
    ///   - report: gets the changes before they are recorded.
    /// - Throws: why the record on the disk is not what is in force, so that names which were taken away stay in force until
    ///   `policy apply`.
    package func record(
        removing removed: [String] = [], from place: PolicyPlace = .run, report: ([PolicyChange]) -> Bool
    ) throws(SystemError) {
        let files = Set(removed.map { PolicyRecord.FileName(place: place, name: Key($0)) })
        let recording = try locked { recordLocked(RecordEdit(removed: files), report: report) }
        if recording.isRecorded { return }
        let finding = recording.set.problems.first { $0.code == LintCode.notRecorded.rawValue }
        throw SystemError(
            operation: "write", path: root.display(StorePath.record), code: PolicyStore.ioError,
            reason: finding?.message ?? "the changes could not be recorded in the audit log")
    }

    /// EIO: the record could not be written, for a reason that was told in words.
    private static var ioError: Int32 { 5 }

    /// Records the ids of names that files to come use, under the lock, beside what is recorded; the next record keeps those
    /// that are in use by then.
    ///
    /// If that fails, programs learn the ids a moment after the files.
    func learn(namesOf policies: [PolicyFile]) {
        let wanted = NameResolver.Names(policies)
        let reading = RecordReading(root: root)
        // Without a record no program knows any id.
        guard root.isSystem, !wanted.isEmpty, let bytes = reading.bytes else { return }
        var record = reading.record
        let found = NameResolver.renewed(
            wanted, recorded: record.names, accounts: accounts ?? AccountDatabase(root: root), answers: answers)
        record.names.users.merge(found.users) { $1 }
        record.names.groups.merge(found.groups) { $1 }
        let learned = record.encoded()
        if learned != bytes { try? put(learned, at: StorePath.record) }
    }

    /// Replaces the record or the table, whose time is the newest that was recorded.
    ///
    /// - Parameters:
    ///   - bytes: the new content.
    ///   - path: which of both.
    ///   - durable: whether it is on disk when this returns.
    ///   - time: the time to come that was recorded before, if that was asked for already.
    /// - Throws: why it cannot be written.
    func put(
        _ bytes: [UInt8], at path: String, durable: Bool = true, carrying time: Timestamp? = nil
    ) throws(SystemError) {
        try root.replace(
            path, with: bytes, mode: 0o644, durable: durable, modified: time ?? ClockFloor(root: root).carried)
    }

    /// The finding that something could not be written.
    func notRecorded(_ error: some CustomStringConvertible) -> Diagnostic {
        Diagnostic(
            file: root.display(StorePath.home), severity: .warning, code: .notRecorded,
            message: "what is in force could not be recorded: \(error)")
    }
}
