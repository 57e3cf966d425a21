import MDAuditRecord
package import MDPlatform

/// A copy of another machine's log, in the form of that machine's own folder, so that everything that reads a log reads it.
///
/// The lines and checkpoints come from the other machine and are stored as they are. The caller holds a lock under which
/// no other process writes the copy. What is appended and the checkpoint that is prepared are on disk when the caller has
/// synced the file system; only then it may commit to them, and only after another sync say to others that it has them.
package struct LogMirror: ~Copyable {
    /// Records that may be appended: what the tree becomes by them is known, and nothing is written.
    package struct Growth {
        /// The segments whose records the other machine has deleted.
        fileprivate var gaps: [LogSegment] = []
        fileprivate var batch: LogBatch

        /// The tree of all records with these.
        package var tree: MerkleTree { batch.tree.tree }
        /// The bytes of the lines.
        package var bytes: Int { batch.bytes.count }
    }

    /// Records that were appended, to be committed to after a sync.
    package struct Uncommitted: Sendable {
        fileprivate let tree: MerkleTree
        fileprivate let inSegments: Int
    }

    var writer: LogWriter
    /// The newest checkpoint.
    package let checkpoint: Checkpoint

    /// Opens the copy of a log.
    ///
    /// Complexity: O(log n); after a crash, O(n) in the records after the last full segment.
    ///
    /// - Parameter root: the root that has the copy as its log.
    /// - Returns: `nil` if there is none.
    /// - Throws: if a file cannot be read or written, or if the copy is not what its checkpoint says.
    package static func open(root: Root) throws(SystemError) -> LogMirror? {
        try LogWriter.settleNext(root: root)
        try settleAside(root: root)
        let inspection = try LogInspection(root: root, files: .current, segment: LogLimits().segment)
        if let reason = inspection.reasonToSetAside {
            throw SystemError(
                operation: "continue", path: root.display(LogFiles.current.log), code: 5,
                reason: "it is damaged here: \(reason)")
        }
        guard let checkpoint = inspection.checkpoint, let segments = inspection.segments else { return nil }
        if inspection.tree.size != checkpoint.size || inspection.surplus > 0 {
            try? root.removeLeftovers(in: LogFiles.directory) { LogFiles.replaced.contains($0) }
        }
        if inspection.surplus > 0, inspection.wholeSize == 0 {
            // What was there before a gap has another name too, and stays there.
            try root.replace(LogFiles.current.log, with: [], mode: LogWriter.mode)
        }
        if inspection.lacksRoots { try LogWriter.replaceRoots(root: root, segments) }
        let file = try AppendFile.open(root: root, path: LogFiles.current.log, mode: LogWriter.mode)
        if inspection.surplus > 0, inspection.wholeSize > 0 { try file.truncate(to: inspection.wholeSize) }
        let writer = LogWriter(
            root: root, limits: LogLimits(), origin: checkpoint.origin, tree: inspection.tree, segments: segments,
            size: try file.size(), file: file, isMirror: true)
        return LogMirror(writer: writer, checkpoint: checkpoint)
    }

    /// Begins the copy of a new log.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - origin: the name of the log.
    ///   - count: the number of records of its segments, a power of two.
    /// - Returns: the empty copy.
    /// - Throws: if a file cannot be written.
    package static func begin(
        root: Root, origin: String, segment count: Int = LogLimits().segment
    ) throws(SystemError) -> LogMirror {
        let checkpoint = Checkpoint(origin: origin, tree: MerkleTree())
        // As with every log, the first checkpoint comes before all data.
        try LogWriter.replaceCheckpoint(root: root, checkpoint)
        let file = try AppendFile.open(root: root, path: LogFiles.current.log, mode: LogWriter.mode)
        let writer = LogWriter(
            root: root, limits: LogLimits(), origin: origin, tree: MerkleTree(),
            segments: SegmentRoots(origin: origin, size: count), size: try file.size(), file: file, isMirror: true)
        return LogMirror(writer: writer, checkpoint: checkpoint)
    }

    /// Sets the copy aside beside what follows it, under the names that a machine's own log would get.
    package static func setAside(root: Root) throws(SystemError) {
        let inspection = try LogInspection(root: root, files: .current, segment: LogLimits().segment)
        _ = try LogWriter.setAside(root: root, inspection: inspection, reason: "another one follows it")
        try root.syncDirectory(LogFiles.directory)
    }

    /// Sets the rest aside of a copy of which a crash left the checkpoint, which goes last.
    private static func settleAside(root: Root) throws(SystemError) {
        guard !root.mayExist(LogFiles.current.log), let checkpoint = Checkpoint.newest(of: root) else { return }
        let aside = LogFiles.aside(checkpoint.logID)
        guard root.mayExist(aside.log), !root.mayExist(aside.checkpoint) else { return }
        let rest = [
            (LogFiles.current.history, aside.history), (LogFiles.current.roots, aside.roots),
            (LogFiles.current.segments, aside.segments), (LogFiles.current.checkpoint, aside.checkpoint),
        ]
        for (from, to) in rest where root.mayExist(from) && !root.mayExist(to) {
            try root.rename(from, to: to, replacing: false)
        }
    }

    /// The checkpoint of a log that was set aside; `nil` if there is none of this id.
    package static func checkpointAside(root: Root, _ id: String) -> Checkpoint? {
        let text = try? root.read(LogFiles.aside(id).checkpoint, limit: Checkpoint.longestText).bytes
        return text.flatMap { Checkpoint(text: $0) }
    }

    /// The number of records.
    package var size: Int { writer.tree.size }
    /// The root of the tree of all records.
    package var root: Digest { writer.tree.tree.root }
    /// The number of records of a segment.
    package var segmentSize: Int { writer.segments.size }
    /// The number of the first record after all full segments.
    package var firstAfterSegments: Int { writer.segments.records + 1 }

    /// The full segments.
    var segments: [LogSegment] { writer.segments.segments }

    /// Opens the file of the records after all segments.
    borrowing func openLog() throws(SystemError) -> ReadFile {
        try ReadFile(root: writer.root, path: LogFiles.current.log)
    }

    /// Opens the file of a segment.
    borrowing func openSegment(_ segment: LogSegment) throws(SystemError) -> ReadFile {
        try ReadFile(root: writer.root, path: LogFiles.current.segment(segment.first))
    }

    /// The tree with more records.
    ///
    /// - Parameters:
    ///   - deleted: the roots of complete subtrees of one segment's size each, which follow the full segments here; empty if
    ///     nothing is missing.
    ///   - lines: the lines after them, or after the last record here.
    ///   - now: the time.
    /// - Returns: what may be appended.
    package borrowing func growth(
        deleted: [Digest] = [], lines: [[UInt8]], now: Timestamp
    ) -> Growth {
        LogMirror.growth(after: writer.tree, writer.segments, deleted: deleted, lines: lines, now: now)
    }

    /// The tree of a log that is new here.
    package static func growth(
        ofNew origin: String, segment count: Int, deleted: [Digest], lines: [[UInt8]], now: Timestamp
    ) -> Growth {
        growth(
            after: SegmentTree(subtreesOf: count), SegmentRoots(origin: origin, size: count), deleted: deleted,
            lines: lines, now: now)
    }

    private static func growth(
        after tree: SegmentTree, _ segments: SegmentRoots, deleted: [Digest], lines: [[UInt8]],
        now: Timestamp
    ) -> Growth {
        var (gaps, whole) = ([LogSegment](), segments.tree)
        for root in deleted {
            gaps.append(
                LogSegment(
                    first: whole.size + 1, last: whole.size + segments.size, bytes: 0, begin: nil, end: nil,
                    roots: [root], deleted: now))
            whole.append(subtree: root, size: segments.size)
        }
        let tree = gaps.isEmpty ? tree : SegmentTree(whole, subtreesOf: segments.size)
        var batch = LogBatch(after: tree, bytes: lines.reduce(0) { $0 + $1.count + 1 })
        for line in lines { batch.append(line: line) }
        batch.hash()
        return Growth(gaps: gaps, batch: batch)
    }

    /// Appends records, which are on disk after the next sync of the file system.
    ///
    /// - Returns: what to commit to after the sync.
    /// - Throws: an error after which a repetition finds either all that was there before, or some of the records too.
    package mutating func append(_ growth: Growth) throws(SystemError) -> Uncommitted {
        if !growth.gaps.isEmpty { try appendGaps(growth.gaps) }
        let before: Int
        if let size = writer.size { before = size } else { before = try writer.file.size() }
        writer.size = nil
        if let full = growth.batch.full {
            if let failure = try writer.append(growth.batch, endingSegmentAt: full, before: before) { throw failure }
        } else {
            try writer.file.append(growth.batch.bytes, after: before)
            (writer.tree, writer.size) = (growth.batch.tree, before + growth.batch.bytes.count)
        }
        return Uncommitted(tree: writer.tree.tree, inSegments: writer.segments.records)
    }

    /// Notes the roots of segments without records, and begins a new file behind them.
    ///
    /// A crash between any two steps leaves what ``open(root:)`` continues: before the entry of the history nothing
    /// happened, and after it the old file has no record that belongs behind the gap.
    private mutating func appendGaps(_ gaps: [LogSegment]) throws(SystemError) {
        let root = writer.root
        if writer.tree.size >= firstAfterSegments {
            try ensureSegments()
            let kept = LogFiles.current.segment(firstAfterSegments) + ".part"
            do {
                try root.link(LogFiles.current.log, as: kept)
            } catch {
                if !error.isTaken { throw error }
            }
        }
        for gap in gaps { writer.segments.append(gap) }
        try LogWriter.replaceRoots(root: root, writer.segments)
        writer.tree = SegmentTree(writer.segments.tree, subtreesOf: segmentSize)
        try LogWriter.appendHistory(root: root, Checkpoint(origin: writer.origin, tree: writer.tree.tree))
        try root.syncFileSystem(LogFiles.directory)
        try root.replace(LogFiles.current.log, with: [], mode: LogWriter.mode)
        writer.file = try AppendFile.open(root: root, path: LogFiles.current.log, mode: LogWriter.mode)
        writer.size = 0
    }

    /// Makes the folder of segments.
    private borrowing func ensureSegments() throws(SystemError) {
        let mode = try writer.root.status(LogFiles.directory, followingLinks: true).mode
        try writer.root.createDirectory(LogFiles.current.segments, mode: mode)
    }

    /// The next checkpoint, until it is the newest one.
    private static let prepared = LogFiles.current.checkpoint + "~new"

    /// Writes a checkpoint of the other machine beside the newest one of its copy, before the sync that precedes the commit: a
    /// file that gets its name before its content is on disk can be empty after a power cut.
    package static func prepare(root: Root, _ checkpoint: Checkpoint) throws(SystemError) {
        try root.replace(prepared, with: Array(checkpoint.text.utf8), mode: LogWriter.mode, durable: false)
    }

    /// Makes the prepared checkpoint the newest one, after it and the records were synced.
    ///
    /// - Parameters:
    ///   - root: the root that has the copy.
    ///   - checkpoint: the checkpoint, whose root is that of the records.
    ///   - appended: the records.
    /// - Throws: if a file cannot be written.
    package static func commit(
        root: Root, _ checkpoint: Checkpoint, _ appended: Uncommitted
    ) throws(SystemError) {
        try LogWriter.appendHistory(root: root, checkpoint)
        try root.rename(prepared, to: LogFiles.current.checkpoint, replacing: true)
        let status = try root.status(LogFiles.current.log, followingLinks: false)
        let state = LogState(tree: appended.tree, inSegments: appended.inSegments, status: status)
        try root.replace(LogFiles.current.state, with: Array(state.text.utf8), mode: 0o600, durable: false)
    }

    /// What is needed to commit to the records that are here already.
    package var uncommitted: Uncommitted {
        Uncommitted(tree: writer.tree.tree, inSegments: writer.segments.records)
    }
}
