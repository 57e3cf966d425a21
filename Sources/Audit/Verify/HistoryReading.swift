import Platform

/// The whole history of checkpoints.
struct HistoryReading {
    /// Whether the file is there.
    private(set) var isThere = false
    /// The name of the log in the first line, where that is one.
    private(set) var origin: String?
    /// The entries, in the order of the file; those that do not grow are left out.
    private(set) var entries: [CheckpointHistory.Entry] = []
    /// How many lines are no entries, or smaller than the one before.
    private(set) var damagedLines = 0

    /// Reads the file, if it is there; what a crash tore off at its end is passed over.
    init(root: Root, path: String) throws(SystemError) {
        let status = try LogInspection.present { () throws(SystemError) in
            try root.status(path, followingLinks: true)
        }
        guard status != nil else { return }
        isThere = true
        let file = try ReadFile(root: root, path: path)
        var splitter = LineSplitter()
        var (offset, number) = (0, 0)
        while true {
            let chunk = try file.read(offset: offset, count: LineSplitter.chunkSize)
            if chunk.isEmpty { break }
            offset += chunk.count
            splitter.feed(chunk) { line in
                number += 1
                take(line, number: number)
            }
        }
    }

    /// Takes one line.
    private mutating func take(_ line: LineSplitter.Line, number: Int) {
        if number == 1 {
            let text = String(validating: line.bytes, as: UTF8.self)
            origin = text.flatMap { Checkpoint.isOrigin($0) ? $0 : nil }
            if origin == nil { damagedLines += 1 }
        } else if let entry = CheckpointHistory.Entry(line: line.bytes), entry.size >= entries.last?.size ?? 0 {
            entries.append(entry)
        } else {
            damagedLines += 1
        }
    }
}
