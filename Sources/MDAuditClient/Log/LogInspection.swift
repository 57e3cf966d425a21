import MDPlatform
import MDPropertyList

/// What a writer found on opening the log: whether it matches its checkpoint and its history, and what to mend.
struct LogInspection {
    /// The checkpoint, if it exists and is valid.
    private(set) var checkpoint: Checkpoint?
    /// Why the log must not be continued, as the end of a sentence; `nil` if it may be.
    private(set) var reasonToSetAside: String?
    /// The tree of the lines to retain.
    private(set) var tree = MerkleTree()
    /// The number of bytes of those lines.
    private(set) var wholeSize = 0
    /// The number of bytes after them.
    private(set) var surplus = 0
    /// Whether the history does not exist or is empty.
    private(set) var lacksHistory = false
    /// The name of the log in the history.
    private var historyOrigin: String?

    /// The id of the log, by its checkpoint or its history.
    var logID: String? {
        (checkpoint?.origin ?? historyOrigin)?.split(separator: "/").last.map(String.init)
    }

    /// Inspects the files of a log.
    init(root: Root, files: LogFiles) throws(SystemError) {
        let text = try LogFiles.ifPresent { () throws(SystemError) in
            try root.read(files.checkpoint, limit: Checkpoint.longestText).bytes
        }
        checkpoint = text.flatMap { Checkpoint(text: $0) }
        let history = try LogInspection.history(root: root, path: files.history)
        historyOrigin = history?.origin
        lacksHistory = history == nil || history?.wholeSize == 0
        let status = try LogFiles.ifPresent { () throws(SystemError) in
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
        let newest = CheckpointEntry(size: checkpoint.size, root: checkpoint.root)
        if history == nil || history?.last == newest || (checkpoint.size == 0 && history?.last == nil),
            let bytes = try? root.read(files.state, limit: LogState.limit).bytes,
            let state = LogState(text: bytes), state.describes(status, checkpoint)
        {
            (tree, wholeSize) = (state.tree, state.bytes)
            return
        }
        try scan(root: root, files: files, commitments: [newest] + (history?.last.map { [$0] } ?? []))
    }

    /// Reads the whole log, because no cache describes it.
    private mutating func scan(
        root: Root, files: LogFiles, commitments: [CheckpointEntry]
    ) throws(SystemError) {
        let required = commitments.map(\.size).max() ?? 0
        var (tree, whole, isGood, isAltered) = (MerkleTree(), 0, true, false)
        /// Compares the tree with the checkpoints of its size.
        func compare() {
            for entry in commitments where entry.size == tree.size && entry.root != tree.root { isAltered = true }
        }
        compare()
        let (size, _) = try ReadFile(root: root, path: files.log).forEachLine { line in
            // Lines that no checkpoint covers are retained only up to the first that is no record.
            if tree.size >= required, !LogInspection.isRecord(line, seq: tree.size + 1) { isGood = false }
            guard isGood else { return }
            tree.append(leaf: line.leaf)
            whole += line.length + 1
            if tree.size <= required { compare() }
        }
        if tree.size < required {
            reasonToSetAside = "it has \(tree.size) whole records and its checkpoint covers \(required)"
        } else if isAltered {
            reasonToSetAside = "its records are not those that its checkpoint covers"
        }
        (self.tree, wholeSize, surplus) = (tree, whole, size - whole)
    }

    /// Whether a line is a record with this number.
    private static func isRecord(_ line: LogLine, seq: Int) -> Bool {
        guard !line.isTooLong, let record = try? AuditRecord(line: line.bytes) else { return false }
        return record.seq == seq
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

/// A cache of the last writer's result, so that the next one need not read the whole log; it is checked before use.
struct LogState {
    /// The most bytes of the file: 64 digests and a few numbers.
    static let limit = 8_192
    /// The first line of the file.
    private static let header = "managed-defaults log state 1"

    /// The tree of all lines.
    let tree: MerkleTree
    /// The size of the log.
    let bytes: Int
    /// The inode of the log.
    let inode: UInt64
    /// When the log was last written, in nanoseconds since 1970.
    let modified: Int64

    /// Makes the cache of a log.
    init(tree: MerkleTree, status: FileStatus) {
        self.tree = tree
        (bytes, inode, modified) = (status.size, status.inode, status.modified)
    }

    /// Parses the file; `nil` for anything that ``text`` did not make.
    init?(text: [UInt8]) {
        let lines = text.split(separator: 0x0a, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard lines.count >= 3, lines[0] == LogState.header, lines.last == "" else { return nil }
        let numbers = lines[1].split(separator: " ")
        let digests = lines[2..<(lines.count - 1)].compactMap { Digest(hex: $0) }
        guard numbers.count == 4, digests.count == lines.count - 3,
            let size = Int(numbers[0]), let tree = MerkleTree(size: size, frontier: digests),
            let bytes = Int(numbers[1]), let inode = UInt64(numbers[2]), let modified = Int64(numbers[3])
        else { return nil }
        (self.tree, self.bytes, self.inode, self.modified) = (tree, bytes, inode, modified)
    }

    /// The content of the file.
    var text: String {
        var text = "\(LogState.header)\n\(tree.size) \(bytes) \(inode) \(modified)\n"
        for digest in tree.frontier { text += digest.hex + "\n" }
        return text
    }

    /// Whether the cache describes the log as it is, and the log matches its checkpoint.
    func describes(_ status: FileStatus, _ checkpoint: Checkpoint) -> Bool {
        status.size == bytes && status.inode == inode && status.modified == modified
            && tree.size == checkpoint.size && tree.root == checkpoint.root
    }
}
