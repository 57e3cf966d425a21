import MDAuditClient
import MDAuditLog
import MDPlatform

/// Reads all files of a log, several at once.
struct LogReading {
    /// The root that the log is under.
    let root: Root
    /// The files.
    let files: LogFiles
    /// The segments that are noted.
    let noted: SegmentRoots
    /// The numbers of records whose roots are wanted, in order.
    let sizes: [Int]
    /// From which record on every line is parsed completely.
    let uncovered: Int
    /// What gets each line as well; `nil` if nothing does.
    var reader: (any LogLineReader)?

    /// Reads the files of the segments, then those that are not noted yet, then the records after all segments.
    ///
    /// Where the lines are read as well, the files are read one after the other.
    func findings() throws(SystemError) -> LogFindings {
        let present = try LogParts(root: root, files: files).segments
        let known = Set(noted.segments.map(\.first))
        let usual = present.filter { known.contains($0.first) }
        let requests = usual.map { request($0.path, first: $0.first, parsing: uncovered...Int.max) }
        var findings = LogFindings(segments: noted, sizes: sizes)
        if let reader {
            reader.begin()
            for request in requests { findings.add(FileScan(request, reader)) }
        } else {
            for scan in Workers.map(requests, { FileScan($0) }) { findings.add(scan) }
        }
        var next = noted.records + 1
        for part in present where !known.contains(part.first) {
            if part.first <= noted.records {
                findings.addStray(part)
                if let reader { _ = FileScan(request(part.path, first: part.first, parsing: 1...1), reader) }
                continue
            }
            let scan = FileScan(request(part.path, first: part.first, parsing: uncovered...Int.max), reader)
            findings.add(scan)
            next = max(next, scan.last + 1)
        }
        findings.passDeleted(until: next)
        let log = try LogFiles.ifPresent { () throws(SystemError) in
            try root.status(files.log, followingLinks: true)
        }
        if log != nil {
            findings.add(FileScan(request(files.log, first: next, parsing: uncovered...Int.max), reader))
        }
        if findings.failure == nil { reader?.finish() }
        return findings
    }

    /// What to read of a file.
    private func request(_ path: String, first: Int, parsing parsed: ClosedRange<Int>) -> FileScan.Request {
        FileScan.Request(
            root: root, path: path, first: first, subtree: noted.size, sizes: sizes, parsed: parsed)
    }
}

/// Finds the place of a change: the last checkpoint that matches and the first that does not enclose it.
struct ChangeSearch {
    /// The size of the largest checkpoint before the first one that does not match.
    private(set) var proven = 0
    /// The first checkpoint that does not match.
    private(set) var failed: CheckpointEntry?
    /// The first line that is not the record of its place, and what is wrong with it.
    private(set) var firstBad: (line: Int, reason: String)?
    /// The number of whole lines up to the end or the first hole.
    private(set) var lines = 0

    /// The tree of all files before the one that is searched.
    private var tree = MerkleTree()
    /// The segments that are noted.
    private let noted: SegmentRoots

    /// Searches the files of a log in their order, up to the first with a change.
    ///
    /// - Parameters:
    ///   - reading: the files.
    ///   - commitments: the checkpoints and all entries of the history after the last segment, by size.
    /// - Throws: if a file cannot be read.
    init(_ reading: LogReading, commitments: [CheckpointEntry]) throws(SystemError) {
        noted = reading.noted
        compare(commitments.filter { $0.size == 0 }) { _ in MerkleTree().root }
        var prefix = MerkleTree()
        for segment in noted.segments {
            guard failed == nil, firstBad == nil else { return }
            for root in segment.roots { prefix.append(subtree: root, size: noted.size) }
            let path = reading.files.segment(segment.first)
            let isPresent = try LogFiles.ifPresent { () throws(SystemError) in
                try reading.root.status(path, followingLinks: true)
            }
            guard isPresent != nil else {
                if segment.deleted == nil { return }
                (tree, lines) = (prefix, segment.last)
                continue
            }
            let history = try CheckpointHistory(
                root: reading.root, path: reading.files.history(ofSegment: segment.first))
            let ends = CheckpointEntry(size: segment.last, root: prefix.root)
            let own = history.origin == noted.origin ? history.entries : []
            let entries = (own + commitments + [ends]).filter { (segment.first...segment.last).contains($0.size) }
            try search(reading, path, first: segment.first, last: segment.last, entries.sorted { $0.size < $1.size })
            guard lines == segment.last else { return }
        }
        guard failed == nil, firstBad == nil else { return }
        for part in try LogParts(root: reading.root, files: reading.files).segments where part.first == lines + 1 {
            try search(reading, part.path, first: part.first, last: .max, commitments)
        }
        guard failed == nil, firstBad == nil else { return }
        let isPresent = try LogFiles.ifPresent { () throws(SystemError) in
            try reading.root.status(reading.files.log, followingLinks: true)
        }
        guard isPresent != nil else { return }
        try search(reading, reading.files.log, first: lines + 1, last: .max, commitments)
    }

    /// Searches one file, twice if it has a change: the second time the lines between two checkpoints are parsed.
    private mutating func search(
        _ reading: LogReading, _ path: String, first: Int, last: Int, _ entries: [CheckpointEntry]
    ) throws(SystemError) {
        let entries = entries.filter { $0.size >= first && $0.size <= last }
        var parsed = reading.uncovered...Int.max
        for isSecond in [false, true] {
            let scan = FileScan(
                FileScan.Request(
                    root: reading.root, path: path, first: first, subtree: noted.size, sizes: entries.map(\.size),
                    parsed: parsed))
            if let failure = scan.failure { throw failure }
            let before = tree
            (failed, firstBad) = (nil, scan.firstBad)
            compare(entries) { size in
                guard let part = scan.trees[size] else { return nil }
                var whole = before
                whole.append(part)
                return whole.root
            }
            lines = scan.last
            let end = failed?.size ?? entries.last?.size ?? 0
            if isSecond || proven >= end {
                tree.append(scan.tree)
                return
            }
            parsed = proven + 1...end
        }
    }

    /// Compares the roots at the sizes of checkpoints, which are in order; `nil` for a size that was not reached.
    private mutating func compare(_ entries: [CheckpointEntry], _ root: (Int) -> Digest?) {
        for entry in entries {
            guard let actual = root(entry.size) else { continue }
            // Of two that contradict each other at one size, the one that matches still proves the lines.
            if let failed, failed.size != entry.size { continue }
            if actual == entry.root { proven = entry.size } else { failed = failed ?? entry }
        }
    }
}
