import MDAuditLog
import MDPlatform

/// All checkpoints that a log has had, from the file beside it.
struct CheckpointHistory {
    /// Whether the file exists.
    private(set) var exists = false
    /// The name of the log in the first line, if that is one.
    private(set) var origin: String?
    /// The entries, in the order of the file, without those that are smaller than the one before.
    private(set) var entries: [CheckpointEntry] = []
    /// The number of lines that are not entries, or are smaller than the one before.
    private(set) var damagedLines = 0

    /// Reads the file, if it exists; a torn last line is passed over.
    init(root: Root, path: String) throws(SystemError) {
        let status = try LogFiles.ifPresent { () throws(SystemError) in
            try root.status(path, followingLinks: true)
        }
        guard status != nil else { return }
        exists = true
        var isFirst = true
        try ReadFile(root: root, path: path).forEachLine { line in
            if isFirst { readOrigin(line) } else { readEntry(line) }
            isFirst = false
        }
    }

    /// Reads the first line.
    private mutating func readOrigin(_ line: LogLine) {
        let text = String(validating: line.bytes, as: UTF8.self)
        origin = text.flatMap { Checkpoint.isOrigin($0) ? $0 : nil }
        if origin == nil { damagedLines += 1 }
    }

    /// Reads any other line.
    private mutating func readEntry(_ line: LogLine) {
        if let entry = CheckpointEntry(line: line.bytes), entry.size >= entries.last?.size ?? 0 {
            entries.append(entry)
        } else {
            damagedLines += 1
        }
    }
}

/// All commitments of a log: its checkpoint, and every earlier one.
struct Commitments {
    /// The checkpoint and the newest entry of the history, by size.
    let newest: [CheckpointEntry]
    /// The checkpoint and all entries of the history, by size.
    let all: [CheckpointEntry]

    /// Joins the checkpoint with the history.
    init(checkpoint: Checkpoint, history: CheckpointHistory) {
        let entry = CheckpointEntry(size: checkpoint.size, root: checkpoint.root)
        newest = ([entry] + (history.entries.last.map { [$0] } ?? [])).sorted { $0.size < $1.size }
        all = (history.entries + [entry]).sorted { $0.size < $1.size }
    }

    /// The number of records that the log must have.
    var required: Int { newest.last?.size ?? 0 }
}
