import Platform

/// What a writer finds: whether the log is what its checkpoint and its history say, and what has to be done.
struct LogInspection {
    /// The most bytes of a checkpoint.
    static let checkpointLimit = 4_096

    /// The checkpoint, if it is there and whole.
    private(set) var checkpoint: Checkpoint?
    /// Why the log must not be continued, as the end of a sentence; `nil` where it may be.
    private(set) var reasonToSetAside: String?
    /// The tree of the lines that stay.
    private(set) var tree = MerkleTree()
    /// The bytes of the lines that stay.
    private(set) var wholeSize = 0
    /// The bytes after those.
    private(set) var surplus = 0
    /// Whether there is no history.
    private(set) var lacksHistory = false
    /// The id in the history, where the checkpoint has none to say.
    private var historyOrigin: String?

    /// The id of the log, as far as anything says it.
    var logID: String? {
        (checkpoint?.origin ?? historyOrigin)?.split(separator: "/").last.map(String.init)
    }

    /// Looks at the files of a log.
    init(root: Root, files: LogFiles) throws(SystemError) {
        let text = try LogInspection.present { () throws(SystemError) in
            try root.read(files.checkpoint, limit: LogInspection.checkpointLimit).bytes
        }
        checkpoint = text.flatMap { Checkpoint(text: $0) }
        let history = try LogInspection.history(root: root, path: files.history)
        historyOrigin = history?.origin
        lacksHistory = history == nil || history?.wholeSize == 0
        let status = try LogInspection.present { () throws(SystemError) in
            try root.status(files.log, followingLinks: false)
        }
        guard let checkpoint else {
            if text != nil {
                reasonToSetAside = "its checkpoint is damaged"
            } else if status != nil || history != nil {
                reasonToSetAside = "its checkpoint is missing"
            }
            return
        }
        if let historyOrigin, historyOrigin != checkpoint.origin {
            reasonToSetAside = "its checkpoint and its history of checkpoints are of different logs"
            return
        }
        guard let status else {
            if checkpoint.size > 0 || (history?.last?.size ?? 0) > 0 { reasonToSetAside = "the file is missing" }
            return
        }
        let newest = CheckpointHistory.Entry(size: checkpoint.size, root: checkpoint.root)
        if history == nil || history?.last == newest || (checkpoint.size == 0 && history?.last == nil),
            let bytes = try? root.read(files.state, limit: LogState.limit).bytes,
            let state = LogState(text: bytes), state.describes(status, checkpoint)
        {
            (tree, wholeSize) = (state.tree, state.bytes)
            return
        }
        try scan(root: root, files: files, commitments: [newest] + (history?.last.map { [$0] } ?? []))
    }

    /// Reads the whole log, where no cache vouches for it.
    private mutating func scan(
        root: Root, files: LogFiles, commitments: [CheckpointHistory.Entry]
    ) throws(SystemError) {
        let file = try ReadFile(root: root, path: files.log)
        let required = commitments.map(\.size).max() ?? 0
        var splitter = LineSplitter()
        var (offset, tree, whole, isGood, isAltered) = (0, MerkleTree(), 0, true, false)
        /// Compares the tree with what was committed to at its size.
        func compare() {
            for entry in commitments where entry.size == tree.size && entry.root != tree.root { isAltered = true }
        }
        compare()
        while true {
            let chunk = try file.read(offset: offset, count: LineSplitter.chunkSize)
            if chunk.isEmpty { break }
            offset += chunk.count
            splitter.feed(chunk) { line in
                // What nobody has committed to stays only as long as it is records.
                if tree.size >= required, !LogInspection.isRecord(line, seq: tree.size + 1) { isGood = false }
                guard isGood else { return }
                tree.append(leaf: line.leaf)
                whole += line.length + 1
                if tree.size <= required { compare() }
            }
        }
        if tree.size < required {
            reasonToSetAside = "it has \(tree.size) whole records and its checkpoint covers \(required)"
        } else if isAltered {
            reasonToSetAside = "its records are not those that its checkpoint covers"
        }
        (self.tree, wholeSize, surplus) = (tree, whole, offset - whole)
    }

    /// Whether a line is a record with this number.
    private static func isRecord(_ line: LineSplitter.Line, seq: Int) -> Bool {
        guard !line.isTooLong, let record = try? AuditRecord(line: line.bytes) else { return false }
        return record.seq == seq
    }

    /// Reads the ends of the history; `nil` where there is none.
    private static func history(root: Root, path: String) throws(SystemError) -> CheckpointHistory? {
        try present { () throws(SystemError) in
            let file = try ReadFile(root: root, path: path)
            return try CheckpointHistory(size: try file.status().size) { offset, count throws(SystemError) in
                try file.read(offset: offset, count: count)
            }
        }
    }

    /// The result of a look at a file, or `nil` where there is no such file.
    static func present<Result>(_ look: () throws(SystemError) -> Result) throws(SystemError) -> Result? {
        do {
            return try look()
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }
}
