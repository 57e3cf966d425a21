import MDAuditRecord
import MDPlatform

/// Ending segments and deleting old ones.
extension LogWriter {
    /// Writes a batch whose first part fills a segment, and its rest into the file that then takes its place.
    ///
    /// The rest is on disk before the segment ends, because what is in a segment cannot be cut away again.
    ///
    /// - Returns: why only the first part is stored; `nil` if all of it is.
    /// - Throws: an error after which nothing of it is stored.
    mutating func append(
        _ batch: LogBatch, endingSegmentAt full: LogBatch.Full, before: Int
    ) throws(SystemError) -> SystemError? {
        try write(Array(batch.bytes[..<full.bytes]), before: before)
        let rest = Array(batch.bytes[full.bytes...])
        let next: AppendFile
        do throws(SystemError) {
            next = try beginNext(rest)
        } catch {
            try? root.remove(LogFiles.next)
            try? file.truncate(to: before)
            throw error
        }
        (tree, isCheckpointDue) = (full.tree, true)
        // The checkpoint that covers the whole segment comes before the segment ends, if it can be written.
        commit()
        do throws(SystemError) {
            try endSegment(size: before + full.bytes)
        } catch {
            // The segment ends later; what was to follow it follows here.
            try? root.remove(LogFiles.next)
            alarm = alarm ?? "A segment of the audit log could not be ended: \(error)."
            do throws(SystemError) {
                try write(rest, before: before + full.bytes)
            } catch {
                // A checkpoint may cover the first part, so that stays.
                return error
            }
            (tree, size) = (batch.tree, before + batch.bytes.count)
            return nil
        }
        file = next
        do throws(SystemError) {
            try root.rename(LogFiles.next, to: LogFiles.current.log, replacing: false)
            try root.syncDirectory(LogFiles.current.segments)
            try root.syncDirectory(LogFiles.directory)
        } catch {
            // Its name may not be on disk, so nothing that follows the segment counts as stored.
            try? file.truncate(to: 0)
            try? root.remove(LogFiles.next)
            return error
        }
        tree = batch.tree(after: full)
        size = rest.count
        settleSegment()
        return nil
    }

    /// Writes what follows the segment into a file of its own.
    private borrowing func beginNext(_ bytes: [UInt8]) throws(SystemError) -> AppendFile {
        let next = try AppendFile.open(root: root, path: LogFiles.next, mode: LogWriter.mode)
        try next.truncate(to: 0)
        try next.append(bytes)
        try next.sync()
        return next
    }

    /// Gives the full file of the log the name of a segment, and notes its roots.
    private mutating func endSegment(size: Int) throws(SystemError) {
        let segment = try describeSegment(size: size)
        if (try? root.status(LogFiles.current.segments, followingLinks: false)) == nil {
            try root.createDirectory(LogFiles.current.segments, mode: try folderMode())
            try root.syncDirectory(LogFiles.directory)
        }
        try root.rename(LogFiles.current.log, to: LogFiles.current.segment(segment.first), replacing: false)
        segments.append(segment)
    }

    /// The mode of the folder of segments: that of the folder of the log, whose group is inherited by what is in it.
    private borrowing func folderMode() throws(SystemError) -> UInt32 {
        try root.status(LogFiles.directory, followingLinks: true).mode
    }

    /// What is noted of the full file of the log.
    private borrowing func describeSegment(size: Int) throws(SystemError) -> LogSegment {
        let first = segments.records + 1
        var roots = tree.subtrees
        if roots.count * segments.size != tree.size - segments.records {
            // Only a log of an earlier version, or one that could not be divided in time, has more than one.
            var scan = WriterScan(after: segments, commitments: [])
            _ = try scan.read(root: root, path: LogFiles.current.log, requiresRecords: false)
            guard scan.tree.tree.root == tree.tree.root else {
                throw SystemError(
                    operation: "read", path: root.display(LogFiles.current.log), code: 5,
                    reason: "its records are not those that were stored")
            }
            roots = scan.tree.subtrees
        }
        let head = try file.read(offset: 0, count: AuditRecord.longestLine)
        let start = max(size - AuditRecord.longestLine, 0)
        let tail = try file.read(offset: start, count: size - start).dropLast()
        return LogSegment(
            first: first, last: tree.size, bytes: size, begin: WriterScan.time(of: head.prefix { $0 != 0x0a }),
            end: WriterScan.time(of: tail[(tail.lastIndex(of: 0x0a).map { $0 + 1 } ?? tail.startIndex)...]),
            roots: roots)
    }

    /// Writes the roots after a segment ended, begins a new history of checkpoints, and deletes old segments.
    ///
    /// A failure is an alarm and no error: the next writer computes the roots from the segment.
    private mutating func settleSegment() {
        do throws(SystemError) {
            try LogWriter.replaceRoots(root: root, segments)
        } catch {
            alarm = alarm ?? "The records are stored, but the roots of the segments were not renewed: \(error)."
        }
        if let last = segments.segments.last {
            // The old history stays beside the segment, where it encloses what somebody changed.
            try? root.link(LogFiles.current.history, as: LogFiles.current.history(ofSegment: last.first))
            if let text = try? root.read(LogFiles.current.checkpoint, limit: Checkpoint.longestText).bytes,
                let checkpoint = Checkpoint(text: text), checkpoint.origin == origin
            {
                let entry = CheckpointEntry(size: checkpoint.size, root: checkpoint.root)
                try? root.replace(
                    LogFiles.current.history, with: Array("\(origin)\n\(entry.line)".utf8), mode: LogWriter.mode)
            }
        }
        retain(now: Clock.now())
    }

    /// Deletes the segments that are too old, if there are any.
    mutating func retainByAge(now: Timestamp) {
        guard segments.segments.contains(where: { $0.deleted == nil && limits.judge($0, now: now).mustGo }) else {
            return
        }
        retain(now: now)
    }

    /// Deletes the segments that are too old, and, while the log is too large, the oldest that are old enough.
    ///
    /// A segment is marked before it is deleted, so that a crash in between leaves a file that the next call removes.
    private mutating func retain(now: Timestamp) {
        guard !isMirror else { return }
        let most = limits.mostBytes(root)
        var total = bytes
        var isChanged = false
        for (index, segment) in segments.segments.enumerated() where segment.deleted == nil {
            let age = limits.judge(segment, now: now)
            guard age.mustGo || (age.mayGo && total > most) else { break }
            segments.markDeleted(at: index, now, by: limits)
            total -= segment.bytes
            isChanged = true
        }
        if isChanged {
            do throws(SystemError) {
                try LogWriter.replaceRoots(root: root, segments)
            } catch {
                alarm = alarm ?? "Old segments of the audit log could not be deleted: \(error)."
                return
            }
        }
        removeDeleted()
    }

    /// Removes the files of segments that are marked as deleted.
    private borrowing func removeDeleted() {
        let deleted = Set(
            segments.segments.filter { $0.deleted != nil }.map { LogFiles.name(ofSegment: $0.first) })
        guard !deleted.isEmpty, let names = try? root.names(in: LogFiles.current.segments) else { return }
        for name in names where deleted.contains(String(name.prefix(16))) {
            try? root.remove("\(LogFiles.current.segments)/\(name)")
        }
    }

    /// The bytes of all records.
    var bytes: Int { segments.bytes + (size ?? 0) }

    /// Whether the log has as many bytes as it may have, although it was retained no longer than it must.
    var isFull: Bool { bytes >= limits.mostBytes(root) }

    /// The bytes that are free for the records of all persons; below zero only the machine's own records are stored.
    ///
    /// What is old enough makes room as soon as some is needed. A sixteenth stays for records of the machine itself and for
    /// first attempts on keys.
    var freeBytes: Int {
        let (most, now) = (limits.mostBytes(root), Clock.now())
        let kept = segments.segments.reduce(0) { sum, segment in
            segment.deleted != nil || limits.judge(segment, now: now).mayGo ? sum : sum + segment.bytes
        }
        return most - most / 16 - kept - (size ?? 0)
    }

    /// Replaces the file of the roots, durably.
    static func replaceRoots(root: Root, _ segments: SegmentRoots) throws(SystemError) {
        try root.replace(LogFiles.current.roots, with: Array(segments.text.utf8), mode: mode)
    }
}
