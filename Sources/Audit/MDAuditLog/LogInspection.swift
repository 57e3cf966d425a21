import MDAuditRecord
import MDPlatform
import MDPropertyList

/// What a writer found on opening the log: whether it matches its checkpoint and its history, and what to mend.
struct LogInspection {
    /// The checkpoint, if it exists and is valid.
    private(set) var checkpoint: Checkpoint?
    /// Why the log must not be continued, as the end of a sentence; `nil` if it may be.
    private(set) var reasonToSetAside: String?
    /// The tree of the lines to retain, those of all segments included.
    private(set) var tree = MerkleTree()
    /// The number of bytes of those lines that are in no segment.
    private(set) var wholeSize = 0
    /// The number of bytes after them.
    private(set) var surplus = 0
    /// Whether the history does not exist or is empty.
    private(set) var lacksHistory = false
    /// The segments; `nil` if the log has no checkpoint.
    private(set) var segments: SegmentRoots?
    /// Whether there are segments that the file of their roots does not have.
    private(set) var lacksRoots = false
    /// Whether the file of the roots was damaged or missing, and not only cut short by a crash.
    private(set) var hasDamagedRoots = false
    /// The name of the log in the history.
    private var historyOrigin: String?

    /// The id of the log, by its checkpoint or its history.
    var logID: String? {
        (checkpoint?.origin ?? historyOrigin)?.split(separator: "/").last.map(String.init)
    }

    /// Inspects the files of a log.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - files: the files.
    ///   - count: the number of records of a segment, if the log has none yet.
    /// - Throws: if a file cannot be read.
    init(root: Root, files: LogFiles, segment count: Int) throws(SystemError) {
        let text = try LogFiles.ifPresent { () throws(SystemError) in
            try root.read(files.checkpoint, limit: Checkpoint.longestText).bytes
        }
        checkpoint = text.flatMap { Checkpoint(text: $0) }
        let history = try LogInspection.history(root: root, path: files.history)
        historyOrigin = history?.origin
        lacksHistory = history == nil || history?.wholeSize == 0
        let status = try LogInspection.status(root, files.log)
        let roots = try LogInspection.status(root, files.roots)
        guard let checkpoint else {
            if text != nil {
                reasonToSetAside = "its checkpoint is damaged"
            } else if status != nil || history != nil || roots != nil {
                reasonToSetAside = "its checkpoint is missing"
            }
            return
        }
        if let historyOrigin, historyOrigin != checkpoint.origin {
            reasonToSetAside = "its checkpoint and its history of checkpoints are of different logs"
            return
        }
        let newest = CheckpointEntry(size: checkpoint.size, root: checkpoint.root)
        let commitments = [newest] + (history?.last.map { [$0] } ?? [])
        var known = SegmentRoots(origin: checkpoint.origin, size: count)
        if roots != nil {
            let found = try SegmentRoots(root: root, path: files.roots)
            hasDamagedRoots = found?.damagedLine != nil || found?.origin != checkpoint.origin
            if let found, found.origin == checkpoint.origin { known = found }
        }
        // A checkpoint is made before each segment ends; what it does not cover is read and compared.
        known.cut(after: commitments.map(\.size).max() ?? 0)
        segments = known
        let pending = try LogInspection.status(root, files.segment(known.records + 1))
        if pending == nil, let status,
            history == nil || history?.last == newest || (checkpoint.size == 0 && history?.last == nil),
            let bytes = try? root.read(files.state, limit: LogState.limit).bytes,
            let state = LogState(text: bytes), state.describes(status, checkpoint),
            state.inSegments == known.records
        {
            (tree, wholeSize) = (state.tree, state.bytes)
            return
        }
        try scan(root: root, files: files, hasLog: status != nil, commitments: commitments)
    }

    /// Reads what no cache describes: the segments whose roots are not known, and the records after all segments.
    private mutating func scan(
        root: Root, files: LogFiles, hasLog: Bool, commitments: [CheckpointEntry]
    ) throws(SystemError) {
        guard var known = segments else { return }
        var scan = WriterScan(after: known, commitments: commitments)
        while try LogInspection.status(root, files.segment(known.records + 1)) != nil {
            let first = known.records + 1
            let found = try scan.read(root: root, path: files.segment(first), requiresRecords: false)
            guard found.surplus == 0, scan.tree.isComplete, !scan.tree.subtrees.isEmpty else {
                reasonToSetAside = "its segment from record \(first) on is not whole"
                break
            }
            known.append(
                LogSegment(
                    first: first, last: scan.tree.size, bytes: found.whole, begin: found.begin, end: found.end,
                    roots: scan.tree.subtrees))
            scan.tree.forgetSubtrees()
            lacksRoots = true
        }
        // One segment more is what a crash leaves behind; a file of roots that is gone is not.
        if known.segments.count > (segments?.segments.count ?? 0) + 1 { hasDamagedRoots = true }
        if hasLog {
            let found = try scan.read(root: root, path: files.log, requiresRecords: true)
            (wholeSize, surplus) = (found.whole, found.surplus)
        }
        if reasonToSetAside == nil, scan.tree.size < scan.required {
            reasonToSetAside =
                hasLog
                ? "it has \(scan.tree.size) whole records and its checkpoint covers \(scan.required)"
                : "the file is missing"
        } else if reasonToSetAside == nil, scan.isAltered {
            reasonToSetAside = "its records are not those that its checkpoint covers"
        }
        (tree, segments) = (scan.tree.tree, known)
    }

    /// The status of a file; `nil` if it does not exist.
    private static func status(_ root: Root, _ path: String) throws(SystemError) -> FileStatus? {
        try LogFiles.ifPresent { () throws(SystemError) in try root.status(path, followingLinks: false) }
    }

    /// Reads the ends of the history; `nil` if it does not exist.
    private static func history(root: Root, path: String) throws(SystemError) -> CheckpointHistoryEnds? {
        try LogFiles.ifPresent { () throws(SystemError) in
            let file = try ReadFile(root: root, path: path)
            return try CheckpointHistoryEnds(size: try file.status().size) { offset, count throws(SystemError) in
                try file.read(offset: offset, count: count)
            }
        }
    }
}

/// The pass of a writer over the files of a log, one after the other.
struct WriterScan {
    /// The tree of the lines so far.
    var tree: SegmentTree
    /// Whether a checkpoint does not match.
    private(set) var isAltered = false
    /// The number of records that the log must have.
    let required: Int
    /// The checkpoints to compare with.
    private let commitments: [CheckpointEntry]

    /// Begins after segments whose roots are known.
    init(after segments: SegmentRoots, commitments: [CheckpointEntry]) {
        tree = SegmentTree(segments.tree, subtreesOf: segments.size)
        self.commitments = commitments
        required = commitments.map(\.size).max() ?? 0
        compare()
    }

    /// What one file has.
    struct Found {
        /// The bytes of the lines to retain.
        var whole = 0
        /// The bytes after them.
        var surplus = 0
        /// The times of the first and the last record, if they have some.
        var (begin, end): (Timestamp?, Timestamp?)
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - path: the file.
    ///   - requiresRecords: whether lines that no checkpoint covers are retained only up to the first that is not a
    ///     record.
    /// - Returns: what it has.
    /// - Throws: if the file cannot be read.
    mutating func read(root: Root, path: String, requiresRecords: Bool) throws(SystemError) -> Found {
        var (scan, found, isGood, isFirst) = (self, Found(), true, true)
        var last: [UInt8] = []
        let (size, _) = try ReadFile(root: root, path: path).forEachLine { line in
            if requiresRecords, scan.tree.size >= scan.required,
                !WriterScan.isRecord(line, seq: scan.tree.size + 1)
            {
                isGood = false
            }
            guard isGood else { return }
            scan.tree.append(leaf: line.leaf)
            found.whole += line.length + 1
            if scan.tree.size <= scan.required { scan.compare() }
            if isFirst { found.begin = WriterScan.time(of: line.bytes) }
            isFirst = false
            if scan.tree.isComplete { last = Array(line.bytes) }
        }
        found.surplus = size - found.whole
        found.end = WriterScan.time(of: last[...])
        self = scan
        return found
    }

    /// Compares the tree with the checkpoints of its size.
    private mutating func compare() {
        for entry in commitments where entry.size == tree.size && entry.root != tree.tree.root { isAltered = true }
    }

    /// Whether a line is a record with this number.
    private static func isRecord(_ line: LogLine, seq: Int) -> Bool {
        guard !line.isTooLong, let record = try? AuditRecord(line: line.bytes) else { return false }
        return record.seq == seq
    }

    /// The time of a record; `nil` for one without, and for no record.
    static func time(of line: ArraySlice<UInt8>) -> Timestamp? {
        (try? AuditRecord(line: line))?.time
    }
}
