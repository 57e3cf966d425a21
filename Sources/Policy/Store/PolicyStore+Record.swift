import Platform
import PropertyList

extension PolicyStore {
    /// Writes what a look found missing, under the lock and after another look.
    func record(_ first: PolicyPass, report: ([PolicyChange]) -> Bool) -> PolicySet {
        do throws(SystemError) {
            return try locked { recordLocked(report: report).set }
        } catch {
            return first.set(more: [notRecorded(error)])
        }
    }

    /// Works while nobody else writes.
    ///
    /// - Throws: where the lock is not to be had.
    func locked<Result>(_ work: () -> Result) throws(SystemError) -> Result {
        try root.createDirectory(StorePath.home, mode: 0o755)
        let lock = try root.lock(StorePath.lock)
        // Held until the end of the work, whatever the optimizer thinks of a value that nobody reads.
        return withExtendedLifetime(lock) { work() }
    }

    /// Records the ids of names that files to come use, under the lock, beside what is recorded; the next look keeps those
    /// that are in use by then.
    ///
    /// Where that fails, programs learn the ids a moment after the files.
    func learn(namesOf policies: [PolicyFile]) {
        let wanted = NameResolver.Names(policies)
        let recorded = RecordedTable(root: root)
        // Without a record nobody's programs know any id.
        guard root.isSystem, !wanted.isEmpty, let bytes = recorded.bytes else { return }
        let found = NameResolver.renewed(
            wanted, recorded: recorded.table.names, accounts: accounts ?? AccountDatabase(root: root), anew: false,
            answers: answers)
        var table = recorded.table
        table.names.users.merge(found.users) { $1 }
        table.names.groups.merge(found.groups) { $1 }
        let learned = table.encoded()
        if learned != bytes { try? put(learned, at: StorePath.record) }
    }

    /// Ends a rollback that did not end, and writes what is missing; under the lock.
    ///
    /// - Parameter report: gets the changes before they are recorded, as in `load`.
    /// - Returns: what is in force, and the look that it was found by.
    func recordLocked(report: ([PolicyChange]) -> Bool) -> (set: PolicySet, pass: PolicyPass) {
        var isRollbackOver = false
        if let rollback = RecordedTable(root: root).table.rollback {
            do throws(OperationError) {
                try endInterrupted(rollback, report: report)
                isRollbackOver = true
            } catch {
                // That generation stays in force, whatever its files are.
                let pass = look(isWriter: true)
                if pass.isRollingBack {
                    return (write(pass, report: report, more: [notRecorded(error.description)]), pass)
                }
            }
        }
        let pass = look(isWriter: true, isRollbackOver: isRollbackOver)
        return (pass.needsRecording ? write(pass, report: report) : pass.set(), pass)
    }

    /// Writes copies, then has the changes reported, then writes the table.
    ///
    /// - Parameters:
    ///   - pass: the look.
    ///   - report: gets the changes before they are recorded, as in `load`.
    ///   - more: what went wrong since the look.
    /// - Returns: what is in force.
    func write(
        _ pass: PolicyPass, report: ([PolicyChange]) -> Bool, more: [Diagnostic] = []
    ) -> PolicySet {
        var written: Set<PolicyTable.FileName> = []
        var problems: [Diagnostic] = []
        for scan in [pass.etc, pass.run] { written.formUnion(writeCopies(scan, &problems)) }
        attempt(&problems) { () throws(SystemError) in try GoodStore.removeEarlierBoots(root: root) }
        var isRecorded = false
        let bytes = pass.table.encoded()
        // What is reported below may replace the file that has the newest time.
        let carried = ClockFloor(root: root).carried
        if !pass.mayBeRecorded {
            problems.append(notRecorded(PolicyStore.halfLook))
        } else if bytes != pass.recorded.bytes || pass.hasNewVerdict {
            attempt(&problems) { () throws(SystemError) in
                if pass.changes.isEmpty || report(pass.changes) {
                    try put(bytes, at: StorePath.record, carrying: carried)
                    isRecorded = true
                } else if pass.recorded.table.rollback != nil, !pass.isRollingBack {
                    // What cannot be reported comes again; the rollback is over all the same.
                    var table = pass.recorded.table
                    table.rollback = nil
                    try put(table.encoded(), at: StorePath.record, carrying: carried)
                }
            }
        }
        return pass.set(written: written, isRecorded: isRecorded, more: more + few(problems))
    }

    /// Why there is no first record, as a clause.
    static let halfLook = "not all of policy can be read, and a first record would say that the rest was never in force"

    /// Replaces the record or the table, whose time stands for the newest that was recorded.
    ///
    /// - Parameters:
    ///   - bytes: the new content.
    ///   - path: which of both.
    ///   - durable: whether it is on disk when this returns.
    ///   - time: the time to come that was recorded before, where that was asked for already.
    /// - Throws: why it cannot be written.
    func put(
        _ bytes: [UInt8], at path: String, durable: Bool = true, carrying time: Timestamp? = nil
    ) throws(SystemError) {
        try root.replace(
            path, with: bytes, mode: 0o644, durable: durable, modified: time ?? ClockFloor(root: root).carried)
    }

    /// The most failures to write that are named one by one: a full disk fails for every file.
    private static let namedFailures = 3

    /// The first of many failures, and how many more there are.
    private func few(_ problems: [Diagnostic]) -> [Diagnostic] {
        let more = problems.count - PolicyStore.namedFailures
        if more <= 0 { return problems }
        return problems.prefix(PolicyStore.namedFailures)
            + [notRecorded("\(more) more \(more == 1 ? "thing" : "things") could not be written")]
    }

    /// Writes the copies that a directory lacks, waits until they are on disk, and only then removes those that they
    /// replace and those of files that are gone.
    ///
    /// - Returns: the files that have new copies.
    private func writeCopies(_ scan: DirectoryScan, _ problems: inout [Diagnostic]) -> Set<PolicyTable.FileName> {
        let files = scan.sorted.filter { $0.current != nil || $0.unrecordedBytes != nil }
        var (written, isSynced): (Set<PolicyTable.FileName>, Bool) = ([], true)
        var old = scan.removedCopies
        for file in files {
            guard file.unrecordedBytes != nil else {
                attempt(&problems) { () throws(SystemError) in
                    try scan.store.remove(file.name, keepingNewest: true, root: root)
                }
                continue
            }
            attempt(&problems) { () throws(SystemError) in
                guard try copy(file, to: scan.store) else { return }
                written.insert(PolicyTable.FileName(place: file.place, name: file.name))
                old.append(file.name)
            }
        }
        if !written.isEmpty {
            isSynced = false
            attempt(&problems) { () throws(SystemError) in
                try scan.store.sync(root: root)
                isSynced = true
            }
        }
        guard isSynced else { return [] }
        for name in old.sorted() {
            attempt(&problems) { () throws(SystemError) in try scan.store.remove(name, root: root) }
        }
        return written
    }

    /// Copies a file that has no good copy yet.
    ///
    /// - Returns: whether there was a place for it.
    private func copy(_ file: ScannedFile, to store: GoodStore) throws(SystemError) -> Bool {
        guard let directory = store.directory, let digest = file.policy?.digest, let bytes = file.unrecordedBytes else {
            return false
        }
        try root.createDirectory(directory, mode: 0o755)
        var isSigned = false
        // Nobody has looked at a signature of bytes that a generation kept.
        if case .verified = file.signature, file.current != nil { isSigned = true }
        try store.write(bytes, digest: digest, of: file.name, isSigned: isSigned, root: root)
        return true
    }

    /// Does one thing, and turns its failure into a finding, so that the next thing is still done.
    private func attempt(_ problems: inout [Diagnostic], _ work: () throws(SystemError) -> Void) {
        do {
            try work()
        } catch {
            problems.append(notRecorded(error))
        }
    }

    /// The finding that something could not be written.
    func notRecorded(_ error: some CustomStringConvertible) -> Diagnostic {
        Diagnostic(
            file: root.display(StorePath.home), severity: .warning, code: .notRecorded,
            message: "what is in force could not be recorded: \(error)")
    }
}
