import MDAuditLog
import MDAuditRecord
import MDPlatform

/// What the files of a log are together, in their order, beside its checkpoints.
struct LogFindings {
    /// The number of records up to the end, or up to the first that is missing.
    private(set) var lines = 0
    /// The number of bytes after the last whole line.
    private(set) var tornBytes = 0
    /// The first line that is not the record of its place, counted from 1, and what is wrong with it.
    private(set) var firstBad: (line: Int, reason: String)?
    /// The number of records of each kind that declares something missing or mended.
    private(set) var gaps: [RecordKind: Int] = [:]
    /// The number of records that were not stored.
    private(set) var dropped = 0
    /// Those of them that senders say themselves.
    private(set) var claimedDropped = 0
    /// The number of records from spools, if nothing else reads the lines.
    private(set) var claimed = 0
    /// Records that are neither there nor marked as deleted, although later ones are there.
    private(set) var hole: ClosedRange<Int>?
    /// The records that were deleted for their age or for space, and whose roots are known.
    private(set) var deleted: [ClosedRange<Int>] = []
    /// The roots of the whole log at the wanted numbers of records.
    private(set) var roots: [Int: Digest] = [:]
    /// The first segment whose file does not have the roots that are noted of it.
    private(set) var deviating: LogSegment?
    /// Why a file could not be read; `nil` if all could.
    private(set) var failure: SystemError?
    /// Whether two files have the same records.
    private var isDoubled = false
    /// The tree so far.
    private var tree = MerkleTree()
    /// The segments that are noted.
    private let segments: SegmentRoots

    /// Begins before the first record.
    init(segments: SegmentRoots, sizes: [Int]) {
        self.segments = segments
        if sizes.contains(0) { roots[0] = tree.root }
    }

    /// Whether nothing can be added.
    var isOver: Bool { hole != nil || failure != nil || isDoubled }

    /// Adds the next file.
    mutating func add(_ scan: FileScan) {
        if isOver { return }
        passDeleted(until: scan.first)
        if scan.first <= lines {
            firstBad = firstBad ?? (lines + 1, "a file begins again at record \(scan.first)")
            isDoubled = true
            return
        }
        if scan.first != lines + 1 {
            // Without any record the end of the log is missing, and nothing between.
            if scan.lines > 0 { hole = lines + 1...max(scan.first - 1, lines + 1) }
            return
        }
        if let failure = scan.failure {
            self.failure = failure
            return
        }
        let noted = segments.segments.first { $0.first == scan.first }
        if let noted, scan.lines != noted.last - noted.first + 1 || scan.tree.subtrees != noted.roots {
            deviating = deviating ?? noted
        }
        for (size, part) in scan.trees {
            var whole = tree
            whole.append(part)
            roots[size] = whole.root
        }
        tree.append(scan.tree)
        (lines, tornBytes) = (lines + scan.lines, scan.tornBytes)
        firstBad = firstBad ?? scan.firstBad
        gaps.merge(scan.gaps) { $0 + $1 }
        dropped = dropped.addingReportingOverflow(scan.dropped).partialValue
        claimedDropped = claimedDropped.addingReportingOverflow(scan.claimedDropped).partialValue
        claimed += scan.claimed
    }

    /// Notes a file in the place of records that another file has.
    mutating func addStray(_ part: LogParts.Segment) {
        firstBad = firstBad ?? (part.first, "a file begins there that is no segment")
    }

    /// Passes over segments that were deleted, whose roots stand for their records.
    mutating func passDeleted(until first: Int) {
        while lines + 1 < first,
            let segment = segments.segments.first(where: { $0.first == lines + 1 && $0.deleted != nil })
        {
            for root in segment.roots { tree.append(subtree: root, size: segments.size) }
            lines = segment.last
            if let end = deleted.last, end.upperBound + 1 == segment.first {
                deleted[deleted.count - 1] = end.lowerBound...segment.last
            } else {
                deleted.append(segment.first...segment.last)
            }
            roots[segment.last] = tree.root
        }
    }

    /// Whether a number of records lies within deleted ones, so that no root of it can be computed.
    func isDeleted(_ size: Int) -> Bool { deleted.contains { $0.contains(size) } && roots[size] == nil }
}

extension MerkleTree {
    /// Adds the leaves of a tree that began empty, after a multiple of its subtrees' size.
    mutating func append(_ part: SegmentTree) {
        for root in part.subtrees { append(subtree: root, size: part.count) }
        append(part.tree.rest(after: part.count))
    }
}
