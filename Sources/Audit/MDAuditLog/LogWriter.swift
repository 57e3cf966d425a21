import MDAuditRecord
import MDPlatform

/// The log, open for writing while its lock is held.
struct LogWriter: ~Copyable {
    /// The mode of every file of the log.
    static let mode: UInt32 = 0o640

    /// The root that the log belongs to.
    let root: Root
    /// The name of the log in its checkpoints.
    let origin: String
    /// The tree of all lines.
    var tree: SegmentTree
    /// The full segments.
    var segments: SegmentRoots
    /// The records about repairs, which come before any other.
    var recoveries: [AuditRecord]
    /// The fields of records that the log before this one had of this boot, which come next.
    private var carried: [ArraySlice<UInt8>]
    /// A sentence for people if something was wrong with the log.
    var alarm: String?
    /// Whether there are records on disk that no checkpoint covers.
    var isCheckpointDue = false
    /// The number of bytes of the records after all segments; `nil` if a failed write left it unknown.
    var size: Int?
    /// The file of the records after all segments.
    var file: AppendFile
    /// When it was last looked at where the name of the log leads, on the monotonic clock.
    private var lastLook: Int64 = 0
    /// The lines of the last append that are on disk, to be duplicated; `nil` if the system's log must not get them.
    private var written: WrittenLines?
    /// What to do with records, and when that was looked at; `nil` before the first one.
    private var pseudonyms: (value: Pseudonyms?, time: Int64)?
    /// How long records are retained.
    let limits: LogLimits
    /// Whether the log is a copy of another machine's, whose checkpoints come from there; nothing of it is deleted.
    let isMirror: Bool

    /// Opens the log, checks it against its checkpoint, and mends or replaces it if they disagree.
    ///
    /// Removes the temporary files of killed writers if it can: the caller holds the lock, so none of them is in use.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - limits: how long records are retained; `nil` for what the administrator chose.
    ///   - known: the log as the caller wrote it before; `nil` if it has not.
    ///   - wanted: what another log says of the one before it, because of which one that may be continued is set aside all
    ///     the same; `nil` to continue it.
    /// - Returns: the open log.
    /// - Throws: if a file cannot be read or written.
    static func open(
        root: Root, limits: LogLimits?, after known: Checkpoint? = nil, succeeding wanted: LogAnnouncement? = nil
    ) throws(SystemError) -> LogWriter {
        let limits = limits ?? LogLimits(of: root)
        try? root.removeLeftovers(in: LogFiles.directory) { LogFiles.replaced.contains($0) }
        try LogWriter.settleNext(root: root)
        var inspection = try LogInspection(root: root, files: .current, segment: limits.segment)
        var recoveries: [AuditRecord] = []
        var alarm: String?
        let (machine, noted) = (LogMachine(of: root), try LogMachine.noted(root))
        let isCopied = noted.map { machine.differs(from: $0) } ?? false
        let succession = isCopied ? .copied : wanted?.succession
        let reason =
            inspection.reasonToSetAside ?? (isCopied || inspection.checkpoint != nil ? succession?.reason : nil)
        if let succession {
            let (id, last) = (inspection.logID ?? "unknown", inspection.tree.size)
            let isOther = wanted.map { !isCopied && $0.log != id } ?? false
            let old = LogAnnouncement(succession, of: isOther ? wanted?.log ?? id : id, last: isOther ? 0 : last)
            recoveries.append(AuditRecord(kind: .recover, note: old.note))
        }
        var carried: [ArraySlice<UInt8>] = []
        if let reason {
            if inspection.reasonToSetAside == nil, !isCopied { carried = try LogWriter.fieldsOfThisBoot(root) }
            alarm = try LogWriter.setAside(root: root, inspection: inspection, reason: reason)
            if succession == .resetAtBoot { alarm = nil }
            inspection = try LogInspection(root: root, files: .current, segment: limits.segment)
        }
        let kept = reason == nil ? noted : nil
        let whole = kept.map { machine.completed(by: $0) } ?? machine
        let origin: String
        if let checkpoint = inspection.checkpoint {
            origin = checkpoint.origin
            if let note = try LogWriter.noteOfLostKey(root: root, checkpoint) {
                recoveries.append(AuditRecord(kind: .recover, note: note))
            }
        } else {
            origin = Checkpoint.newOrigin(host: Machine.hostName(root: root).short)
            // The first checkpoint comes before all data, so that a missing one was removed.
            let first = Checkpoint(origin: origin, tree: MerkleTree())
            try LogWriter.replaceCheckpoint(root: root, try LogWriter.sign(first, root: root))
        }
        if whole != kept ?? LogMachine() {
            try root.replace(LogFiles.current.machine, with: Array(whole.text.utf8), mode: LogWriter.mode)
        }
        let tree = inspection.tree
        let segments = inspection.segments ?? SegmentRoots(origin: origin, size: limits.segment)
        if inspection.lacksRoots {
            try LogWriter.replaceRoots(root: root, segments)
        }
        if inspection.hasDamagedRoots {
            recoveries.append(
                AuditRecord(
                    kind: .recover,
                    note: "The roots of the segments were damaged or missing, and were computed again from the records."
                ))
        }
        let file = try AppendFile.open(root: root, path: LogFiles.current.log, mode: LogWriter.mode)
        if tree.size == 0, succession == nil, let note = try LogWriter.noteOfLogsSetAside(root: root) {
            recoveries.append(AuditRecord(kind: .recover, note: note))
            alarm = alarm ?? note
        }
        let here = Checkpoint(origin: origin, tree: tree)
        if let known, let note = LogWriter.noteOfExchange(root: root, known, here) {
            recoveries.append(AuditRecord(kind: .recover, note: note))
            alarm = alarm ?? note
        }
        if inspection.surplus > 0 {
            try file.truncate(to: inspection.wholeSize)
            var record = AuditRecord(
                kind: .recover,
                note:
                    "The last \(inspection.surplus) bytes of the log, after record \(tree.size), were no whole record, "
                    + "as a crash leaves them behind, and were cut away.")
            record.count = inspection.surplus
            recoveries.append(record)
        }
        // A writer that was killed before its first checkpoint has left no history.
        if inspection.lacksHistory, tree.size > 0, inspection.checkpoint.map({ $0.size > 0 }) ?? false {
            recoveries.append(
                AuditRecord(kind: .recover, note: "The history of checkpoints was missing and is begun anew."))
        }
        let size = try file.size()
        // The first records may be acknowledged before a checkpoint puts the name of the file on disk.
        if size == 0 { try root.syncDirectory(LogFiles.directory) }
        return LogWriter(
            root: root, limits: limits, origin: origin, tree: tree, segments: segments, recoveries: recoveries,
            carried: carried, alarm: alarm, size: size, file: file)
    }

    /// Makes a writer from what opening found.
    init(
        root: Root, limits: LogLimits, origin: String, tree: MerkleTree, segments: SegmentRoots,
        recoveries: [AuditRecord] = [], carried: [ArraySlice<UInt8>] = [], alarm: String? = nil, size: Int,
        file: consuming AppendFile, isMirror: Bool = false
    ) {
        (self.root, self.limits, self.origin, self.segments) = (root, limits, origin, segments)
        self.isMirror = isMirror
        self.tree = SegmentTree(tree, subtreesOf: segments.size)
        (self.recoveries, self.carried, self.alarm, self.size) = (recoveries, carried, alarm, size)
        self.file = file
    }

    /// The time for which a look at files that hardly ever change counts, in microseconds.
    private static let lookInterval: Int64 = 20_000

    /// Whether the name of the log still leads to the open file, and the file is as this writer left it.
    ///
    /// Where the name leads is looked at every 20 ms.
    mutating func isCurrent() -> Bool {
        guard let size, let open = try? file.status(), open.size == size, open.links == 1 else { return false }
        let now = Clock.monotonicMicroseconds()
        if now - lastLook < LogWriter.lookInterval { return true }
        guard let named = try? root.status(LogFiles.current.log, followingLinks: false), named.isSameFile(as: open)
        else { return false }
        lastLook = now
        return true
    }

    /// What to do with records now, looked at every 20 ms.
    private mutating func currentPseudonyms() -> Pseudonyms? {
        let now = Clock.monotonicMicroseconds()
        if let known = pseudonyms, now - known.time < LogWriter.lookInterval { return known.value }
        let value = Pseudonyms.current(of: root)
        pseudonyms = (value, now)
        return value
    }

    /// Writes records and waits until they are on disk; the next ``commit()`` covers them.
    ///
    /// - Parameters:
    ///   - entries: the records.
    ///   - isWriting: called before anything is written, with the fingerprints of the records' lines, by which
    ///     ``AuditLog/stored(among:)`` finds them.
    /// - Returns: the places of the records; only the first ones are stored if it has a failure.
    /// - Throws: an error after which none of them is stored.
    mutating func append(
        _ entries: LogEntries, isWriting: (ArraySlice<Int64>) -> Void = { _ in }
    ) throws(SystemError) -> AppendResult {
        guard !entries.isEmpty || !recoveries.isEmpty else { return AppendResult(sequences: nil, alarm: alarm) }
        let before = (records: tree.size, repairs: recoveries.count, carried: carried.count)
        let first = before.records + before.repairs + before.carried + 1
        let room = entries.bytes.count + (entries.count + recoveries.count) * LogBatch.longestHead
        var batch = LogBatch(after: tree, bytes: room)
        let pseudonyms = currentPseudonyms()
        for record in recoveries { append(record, to: &batch, pseudonyms) }
        // They are as they were stored, so that pseudonyms are not changed again.
        for fields in carried { batch.append(fields: fields) }
        for entry in entries.entries {
            if let record = entries.record(of: entry, changing: pseudonyms != nil) {
                append(record, to: &batch, pseudonyms)
            } else if case .fields(let range) = entry {
                batch.append(fields: entries.bytes[range])
            }
        }
        batch.hash()
        let place: Int
        if let size { place = size } else { place = try file.size() }
        (size, written) = (nil, nil)
        isWriting(batch.fingerprints.dropFirst(before.repairs + before.carried))
        var failure: SystemError?
        if let full = batch.full {
            failure = try append(batch, endingSegmentAt: full, before: place)
        } else {
            try write(batch.bytes, before: place)
            (tree, size) = (batch.tree, place + batch.bytes.count)
        }
        // What a log service has stored cannot be made pseudonymous afterwards.
        if pseudonyms == nil {
            let whole = failure == nil ? batch.bytes.count : batch.full?.bytes ?? 0
            written = WrittenLines(log: origin, bytes: batch.bytes, count: whole)
        }
        let stored = max(tree.size - before.records, 0)
        recoveries.removeFirst(min(before.repairs, stored))
        carried.removeFirst(min(before.carried, max(stored - before.repairs, 0)))
        isCheckpointDue = true
        return AppendResult(sequences: tree.size < first ? nil : first...tree.size, alarm: alarm, failure: failure)
    }

    /// Takes the lines of the last append that are on disk and to be duplicated.
    mutating func takeWritten() -> WrittenLines? {
        defer { written = nil }
        return written
    }

    /// Adds a record to a batch, with its number and what it lacks.
    private borrowing func append(_ record: AuditRecord, to batch: inout LogBatch, _ pseudonyms: Pseudonyms?) {
        var record = record
        record.seq = batch.next
        record.fillInMachine(root: root)
        pseudonyms?.apply(to: &record)
        batch.append(line: record.encoded())
    }

    /// Appends bytes to the log and waits until they are on disk; after an error none of them is there.
    borrowing func write(_ bytes: [UInt8], before: Int) throws(SystemError) {
        try file.append(bytes, after: before)
        do {
            try file.sync()
        } catch {
            // What may not be on disk must not look stored; if the cut fails, whole lines remain.
            try? file.truncate(to: before)
            throw error
        }
    }
}
