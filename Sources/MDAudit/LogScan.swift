import MDAuditClient
import MDPlatform

/// One pass over a log, which compares it with its checkpoints.
struct LogScan {
    /// The number of whole lines.
    private(set) var lines = 0
    /// The number of bytes after the last whole line.
    private(set) var tornBytes = 0
    /// The first line that is not the record of its place, counted from 1, and what is wrong with it.
    private(set) var firstBad: (line: Int, reason: String)?
    /// The size of the largest checkpoint before the first one that does not match.
    private(set) var proven = 0
    /// The first checkpoint that does not match.
    private(set) var failed: CheckpointEntry?
    /// The number of records of each kind that declares something missing or mended.
    private(set) var gaps: [RecordKind: Int] = [:]
    /// The number of records that were not stored, as those of kind `drop` count them.
    private(set) var dropped = 0

    /// The tree so far.
    private var tree = MerkleTree()
    /// The checkpoints that are still to be compared, by size.
    private var commitments: ArraySlice<CheckpointEntry>
    /// The lines to parse completely.
    private let parsed: ClosedRange<Int>

    /// Reads a log.
    ///
    /// - Parameters:
    ///   - root: the root that the log is under.
    ///   - path: the log.
    ///   - commitments: the checkpoints to compare with, by size.
    ///   - parsed: the lines to parse completely; any other only if it does not begin as this program writes it.
    /// - Throws: if the log cannot be opened or read.
    init(root: Root, path: String, commitments: [CheckpointEntry], parsing parsed: ClosedRange<Int>)
        throws(SystemError)
    {
        self.commitments = commitments[...]
        self.parsed = parsed
        compareRoot()
        tornBytes = try ReadFile(root: root, path: path).forEachLine { line in add(line) }.torn
    }

    /// Whether there are enough lines, and every checkpoint matches.
    func holds(_ required: Int) -> Bool { failed == nil && lines >= required }

    /// Adds a line to the tree and checks it.
    private mutating func add(_ line: LogLine) {
        lines += 1
        tree.append(leaf: line.leaf)
        if !commitments.isEmpty { compareRoot() }
        if firstBad == nil { check(line) }
    }

    /// Compares the root of the tree with the checkpoints of its size.
    private mutating func compareRoot() {
        while let next = commitments.first, next.size <= tree.size {
            commitments.removeFirst()
            // Of two that contradict each other at one size, the one that matches still proves the lines.
            if let failed, failed.size != next.size { continue }
            if next.root == tree.root { proven = next.size } else { failed = failed ?? next }
        }
    }

    /// Checks that a line is the record of its place, and counts what it declares missing.
    private mutating func check(_ line: LogLine) {
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

    /// Whether records of a kind say that something is missing or was mended.
    private static func declaresGap(_ kind: RecordKind) -> Bool {
        kind == .gap || kind == .drop || kind == .recover
    }

    /// The kind in a line that begins as this program writes it, with this number; `nil` for any other.
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
