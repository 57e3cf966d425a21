import Platform

/// One pass over a log, comparing it with what was committed to.
struct LogScan {
    /// How many whole lines there are.
    private(set) var lines = 0
    /// The bytes after the last whole line.
    private(set) var tornBytes = 0
    /// The first line that is no record with the number of its place, counted from 1, and what is wrong with it.
    private(set) var firstBad: (line: Int, reason: String)?
    /// The largest commitment before the first that fails.
    private(set) var proven = 0
    /// The first commitment that fails.
    private(set) var failed: CheckpointHistory.Entry?
    /// How many records say that something was not recorded, and of what kinds they are.
    private(set) var gaps: [RecordKind: Int] = [:]
    /// How many records those of kind `drop` stand for.
    private(set) var dropped = 0

    /// The tree so far.
    private var tree = MerkleTree()
    /// What is left to compare, in the order of sizes.
    private var commitments: ArraySlice<CheckpointHistory.Entry>
    /// The lines that are parsed as a whole.
    private let parsed: ClosedRange<Int>

    /// Reads a log.
    ///
    /// - Parameters:
    ///   - root: where the log is.
    ///   - path: the log.
    ///   - commitments: what to compare with, in the order of sizes.
    ///   - parsed: the lines to parse as a whole; of others only those that do not begin as this program writes them.
    /// - Throws: where the log cannot be opened or read.
    init(root: Root, path: String, commitments: [CheckpointHistory.Entry], parsing parsed: ClosedRange<Int>)
        throws(SystemError)
    {
        self.commitments = commitments[...]
        self.parsed = parsed
        let file = try ReadFile(root: root, path: path)
        var splitter = LineSplitter()
        var offset = 0
        compare()
        while true {
            let chunk = try file.read(offset: offset, count: LineSplitter.chunkSize)
            if chunk.isEmpty { break }
            offset += chunk.count
            splitter.feed(chunk) { line in take(line) }
        }
        tornBytes = splitter.pendingLength
    }

    /// Whether there are enough lines, and every commitment holds.
    func holds(_ required: Int) -> Bool { failed == nil && lines >= required }

    /// Takes one line.
    private mutating func take(_ line: LineSplitter.Line) {
        lines += 1
        tree.append(leaf: line.leaf)
        if !commitments.isEmpty { compare() }
        if firstBad == nil { examine(line) }
    }

    /// Compares the tree with what was committed to at its size.
    private mutating func compare() {
        while let next = commitments.first, next.size <= tree.size {
            commitments.removeFirst()
            // Of two that contradict each other at one size, the one that holds still proves the lines.
            if let failed, failed.size != next.size { continue }
            if next.root == tree.root { proven = next.size } else { failed = failed ?? next }
        }
    }

    /// Looks at what a line says.
    private mutating func examine(_ line: LineSplitter.Line) {
        if line.isTooLong {
            firstBad = (lines, "it has \(line.length) bytes, more than a record can have")
            return
        }
        let kind = LogScan.kind(of: line.bytes, seq: lines)
        if let kind, !parsed.contains(lines), !LogScan.declaresGap(kind) { return }
        do throws(AuditError) {
            let record = try AuditRecord(line: line.bytes)
            guard record.seq == lines else {
                let number = record.seq == 0 ? "no number" : "number \(record.seq)"
                firstBad = (lines, "it has \(number)")
                return
            }
            guard LogScan.declaresGap(record.kind) else { return }
            gaps[record.kind, default: 0] += 1
            if record.kind == .drop { dropped = dropped.addingReportingOverflow(record.count ?? 1).partialValue }
        } catch {
            firstBad = (lines, error.description)
        }
    }

    /// Whether a record of this kind says that something is missing.
    private static func declaresGap(_ kind: RecordKind) -> Bool {
        kind == .gap || kind == .drop || kind == .recover
    }

    /// The kind of a line that begins as this program writes it, with this number; `nil` for any other.
    private static func kind(of line: ArraySlice<UInt8>, seq: Int) -> RecordKind? {
        guard line.starts(with: "{\"v\":1,\"seq\":\(seq),\"time\":\"".utf8), line.last == UInt8(ascii: "}") else {
            return nil
        }
        // A quotation mark inside a string is escaped, so these bytes can only be the member's name.
        let name = Array(",\"kind\":\"".utf8)
        var index = line.startIndex
        while let comma = line[index...].firstIndex(of: UInt8(ascii: ",")) {
            index = comma + 1
            guard line[comma...].starts(with: name) else { continue }
            let word = line[(comma + name.count)...].prefix { $0 != UInt8(ascii: "\"") }
            return RecordKind(rawValue: String(decoding: word, as: UTF8.self))
        }
        return nil
    }
}
