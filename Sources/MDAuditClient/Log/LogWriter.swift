import MDPlatform

/// The log, open for writing while its lock is held.
struct LogWriter: ~Copyable {
    /// The mode of every file of the log.
    static let mode: UInt32 = 0o640

    /// The root that the log belongs to.
    let root: Root
    /// The name of the log in its checkpoints.
    private(set) var origin: String
    /// The tree of all lines.
    private(set) var tree: MerkleTree
    /// The records about repairs, which come before any other.
    private(set) var recoveries: [AuditRecord]
    /// A sentence for people if something was wrong with the log.
    private(set) var alarm: String?
    /// Whether there are records on disk that no checkpoint covers.
    private(set) var isCheckpointDue = false
    /// The number of bytes of the log; `nil` if a failed write left it unknown.
    private var size: Int?
    /// The log.
    private let file: AppendFile

    /// Opens the log, checks it against its checkpoint, and mends or replaces it if they disagree.
    ///
    /// Removes the temporary files of killed writers if it can: the caller holds the lock, so none of them is in use.
    static func open(root: Root) throws(SystemError) -> LogWriter {
        try? root.removeLeftovers(of: LogFiles.replaced, in: LogFiles.directory)
        var inspection = try LogInspection(root: root, files: .current)
        var recoveries: [AuditRecord] = []
        var alarm: String?
        if let reason = inspection.reasonToSetAside {
            alarm = try LogWriter.setAside(root: root, inspection: inspection, reason: reason)
            inspection = try LogInspection(root: root, files: .current)
        }
        let origin: String
        if let checkpoint = inspection.checkpoint {
            origin = checkpoint.origin
        } else {
            origin = Checkpoint.newOrigin(host: Machine.hostName(root: root).short)
            // The first checkpoint comes before all data, so that a missing one was removed.
            try LogWriter.replaceCheckpoint(root: root, Checkpoint(origin: origin, tree: MerkleTree()))
        }
        let tree = inspection.tree
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
            root: root, origin: origin, tree: tree, recoveries: recoveries, alarm: alarm, size: size, file: file)
    }

    /// Makes a writer from what opening found.
    private init(
        root: Root, origin: String, tree: MerkleTree, recoveries: [AuditRecord], alarm: String?, size: Int,
        file: consuming AppendFile
    ) {
        (self.root, self.origin, self.tree) = (root, origin, tree)
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
        var grown = tree
        var bytes: [UInt8] = []
        let pseudonyms = Pseudonyms.current(of: root)
        for record in recoveries + records {
            var record = record
            record.seq = grown.size + 1
            record.fillInMachine(root: root)
            pseudonyms?.apply(to: &record)
            let line = record.encoded()
            grown.append(line: line)
            bytes += line
            bytes.append(0x0a)
        }
        let before = try file.size()
        size = nil
        try file.append(bytes)
        do {
            try file.sync()
        } catch {
            // What may not be on disk must not look stored; if the cut fails, whole lines remain.
            try? file.truncate(to: before)
            throw error
        }
        let first = tree.size + recoveries.count + 1
        (tree, size, recoveries, isCheckpointDue) = (grown, before + bytes.count, [], true)
        return AppendResult(sequences: records.isEmpty ? nil : first...tree.size, alarm: alarm)
    }

    /// Writes the checkpoint of the records on disk.
    ///
    /// A failure is an alarm and no error: the records are stored, and the next writer's checkpoint covers them.
    mutating func commit() {
        guard isCheckpointDue else { return }
        let checkpoint = Checkpoint(origin: origin, tree: tree)
        do throws(SystemError) {
            try appendHistory(checkpoint)
            try LogWriter.replaceCheckpoint(root: root, checkpoint)
        } catch {
            alarm = alarm ?? "The records are stored, but the log's checkpoint was not renewed: \(error)."
            return
        }
        isCheckpointDue = false
        // Without this cache the next writer reads the whole log, which is only slower, and finds what others changed.
        guard let status = try? file.status(), status.size == size else { return }
        let state = LogState(tree: tree, status: status).text
        try? root.replace(LogFiles.current.state, with: Array(state.utf8), mode: 0o600, durable: false)
    }

    /// Writes the checkpoint of the records on disk if the checkpoint there is one of this log.
    ///
    /// For a writer whose files may have been exchanged: the next one then finds that records are missing.
    mutating func commitIfOwn() {
        let text = try? root.read(LogFiles.current.checkpoint, limit: Checkpoint.longestText).bytes
        if let text, Checkpoint(text: text)?.origin == origin { commit() }
    }

    /// Adds the checkpoint to the history, after cutting off a torn line.
    private func appendHistory(_ checkpoint: Checkpoint) throws(SystemError) {
        let history = try AppendFile(root: root, path: LogFiles.current.history, mode: LogWriter.mode)
        let size = try history.size()
        let known = try CheckpointHistoryEnds(size: size) { offset, count throws(SystemError) in
            try history.read(offset: offset, count: count)
        }
        if known.wholeSize < size { try history.truncate(to: known.wholeSize) }
        var text = known.wholeSize == 0 ? "\(origin)\n" : ""
        text += CheckpointEntry(size: checkpoint.size, root: checkpoint.root).line
        try history.append(Array(text.utf8))
    }

    /// Replaces the checkpoint, durably.
    ///
    /// The time of the file is part of the time floor: if it lies in the future it is retained, or else the first record
    /// under a clock that was set back would make that clock right.
    private static func replaceCheckpoint(root: Root, _ checkpoint: Checkpoint) throws(SystemError) {
        let path = LogFiles.current.checkpoint
        let times = (try? root.status(path, followingLinks: false)).map { [$0.changed, $0.modified] } ?? []
        let newest = Timestamp(microseconds: (times.max() ?? 0) / 1_000)
        try root.replace(
            path, with: Array(checkpoint.text.utf8), mode: mode, modified: Clock.now() < newest ? newest : nil)
    }
}

extension LogWriter {
    /// Renames a log that must not be continued, with the files beside it.
    ///
    /// - Returns: the alarm.
    private static func setAside(root: Root, inspection: LogInspection, reason: String) throws(SystemError) -> String {
        let from = LogFiles.current
        let id = inspection.logID ?? "unknown-" + String(UInt64.random(in: .min ... .max), radix: 16)
        var aside = LogFiles.aside(id)
        var number = 1
        while isTaken(root, aside) {
            // Two logs with one id get different names; a crash between the renames below leaves names that are free here.
            number += 1
            aside = .aside("\(id)-\(number)")
        }
        try rename(root, from.log, aside.log)
        try rename(root, from.history, aside.history)
        // The checkpoint goes last: as long as it exists, the next writer does not continue the log either.
        try rename(root, from.checkpoint, aside.checkpoint)
        try? root.remove(from.state)
        return "The audit log \(root.display(from.log)) was not continued, because \(reason). "
            + "It was set aside as \(root.display(aside.log)), and a new log was begun."
    }

    /// Whether a name of a log that was set aside is in use.
    private static func isTaken(_ root: Root, _ files: LogFiles) -> Bool {
        [files.log, files.history, files.checkpoint].contains { path in
            (try? root.status(path, followingLinks: false)) != nil
        }
    }

    /// Renames a file, if it exists.
    private static func rename(_ root: Root, _ from: String, _ to: String) throws(SystemError) {
        do {
            try root.rename(from, to: to, replacing: false)
        } catch {
            if !error.isMissing { throw error }
        }
    }

    /// The sentence in the first record of a new log about logs that were set aside; `nil` if there are none.
    private static func noteOfLogsSetAside(root: Root) throws(SystemError) -> String? {
        let names = try root.names(in: LogFiles.directory).filter(LogFiles.isAside)
        if names.isEmpty { return nil }
        return "This log was begun because an earlier one could not be continued: it was shorter than its checkpoint, "
            + "or not what its checkpoint says. Set aside: \(names.joined(separator: ", "))."
    }
}
