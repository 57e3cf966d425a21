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
    /// A sentence for people if something was wrong with the log.
    var alarm: String?
    /// Whether there are records on disk that no checkpoint covers.
    var isCheckpointDue = false
    /// The number of bytes of the records after all segments; `nil` if a failed write left it unknown.
    var size: Int?
    /// The file of the records after all segments.
    var file: AppendFile
    /// How long records are retained.
    let limits: LogLimits

    /// Opens the log, checks it against its checkpoint, and mends or replaces it if they disagree.
    ///
    /// Removes the temporary files of killed writers if it can: the caller holds the lock, so none of them is in use.
    static func open(root: Root, limits: LogLimits?) throws(SystemError) -> LogWriter {
        let limits = limits ?? LogLimits(of: root)
        try? root.removeLeftovers(of: LogFiles.replaced, in: LogFiles.directory)
        try LogWriter.settleNext(root: root)
        var inspection = try LogInspection(root: root, files: .current, segment: limits.segment)
        var recoveries: [AuditRecord] = []
        var alarm: String?
        if let reason = inspection.reasonToSetAside {
            alarm = try LogWriter.setAside(root: root, inspection: inspection, reason: reason)
            inspection = try LogInspection(root: root, files: .current, segment: limits.segment)
        }
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
        let file = try AppendFile(root: root, path: LogFiles.current.log, mode: LogWriter.mode)
        if tree.size == 0, let note = try LogWriter.noteOfLogsSetAside(root: root) {
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
            alarm: alarm, size: size, file: file)
    }

    /// Makes a writer from what opening found.
    private init(
        root: Root, limits: LogLimits, origin: String, tree: MerkleTree, segments: SegmentRoots,
        recoveries: [AuditRecord], alarm: String?, size: Int, file: consuming AppendFile
    ) {
        (self.root, self.limits, self.origin, self.segments) = (root, limits, origin, segments)
        self.tree = SegmentTree(tree, subtreesOf: segments.size)
        (self.recoveries, self.alarm, self.size) = (recoveries, alarm, size)
        self.file = file
    }

    /// Whether the name of the log still leads to the open file, and the file is as this writer left it.
    func isCurrent() -> Bool {
        guard let size, let named = try? root.status(LogFiles.current.log, followingLinks: false),
            let open = try? file.status()
        else { return false }
        return named.isSameFile(as: open) && open.size == size
    }

    /// Writes records and waits until they are on disk; the next ``commit()`` covers them.
    ///
    /// - Throws: an error after which none of them is stored.
    mutating func append(_ records: [AuditRecord]) throws(SystemError) -> AppendResult {
        guard !records.isEmpty || !recoveries.isEmpty else { return AppendResult(sequences: nil, alarm: alarm) }
        let first = tree.size + recoveries.count + 1
        var batch = LogBatch(after: tree)
        let pseudonyms = Pseudonyms.current(of: root)
        for record in recoveries + records {
            var record = record
            record.seq = batch.tree.size + 1
            record.fillInMachine(root: root)
            pseudonyms?.apply(to: &record)
            batch.append(line: record.encoded())
        }
        let before = try file.size()
        size = nil
        if let full = batch.full {
            try append(batch, endingSegmentAt: full, before: before)
        } else {
            try write(batch.bytes, before: before)
            (tree, size) = (batch.tree, before + batch.bytes.count)
        }
        (recoveries, isCheckpointDue) = ([], true)
        return AppendResult(sequences: records.isEmpty ? nil : first...tree.size, alarm: alarm)
    }

    /// Appends bytes to the log and waits until they are on disk; after an error none of them is there.
    borrowing func write(_ bytes: [UInt8], before: Int) throws(SystemError) {
        try file.append(bytes)
        do {
            try file.sync()
        } catch {
            // What may not be on disk must not look stored; if the cut fails, whole lines remain.
            try? file.truncate(to: before)
            throw error
        }
    }
}
