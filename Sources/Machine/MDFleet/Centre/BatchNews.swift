import MDPlatform

/// What of a batch is here already, and what is new.
struct BatchNews {
    /// Lines that are here already, with the number of the first.
    private(set) var known: [(first: Int, lines: ArraySlice<[UInt8]>)] = []
    /// The roots of deleted segments that are not here, one each.
    private(set) var deleted: [Digest] = []
    /// The lines that are not here, which follow those segments or the last record here.
    private(set) var lines: [[UInt8]] = []
    /// The number of records of a deleted segment; `nil` if there is none.
    private(set) var segmentSize: Int?

    /// Whether there is nothing new.
    var isEmpty: Bool { deleted.isEmpty && lines.isEmpty }

    /// Divides a batch, which begins at most one record behind what is here.
    ///
    /// - Parameters:
    ///   - batch: the batch.
    ///   - size: the number of records here.
    ///   - segments: the number of those in full segments.
    ///   - count: the number of records of a segment here; `nil` if that is not decided yet.
    /// - Throws: if deleted records cannot be noted here: they must be whole segments, before all new lines.
    init(_ batch: RecordBatch, after size: Int, segments: Int, of count: Int?) throws(FleetFault) {
        var next = batch.first
        segmentSize = count
        var end = segments
        for part in batch.parts {
            switch part {
            case .lines(let part):
                let old = min(max(size + 1 - next, 0), part.count)
                if deleted.isEmpty, old > 0 { known.append((next, part.prefix(old))) }
                let skipped = deleted.isEmpty ? old : 0
                guard part.allSatisfy(BatchNews.isRecord) else { throw FleetFault("a line is no record") }
                lines += part.dropFirst(skipped)
                next += part.count
            case .deleted(let first, let last, let roots):
                defer { next = last + 1 }
                if last <= end || (last <= size && deleted.isEmpty) { continue }
                let number = last - first + 1
                let piece = segmentSize ?? number / roots.count
                guard lines.isEmpty, first == end + 1, piece.nonzeroBitCount == 1,
                    segmentSize != nil || CollectorLimits.segments.contains(piece),
                    roots.count.multipliedReportingOverflow(by: piece) == (number, false)
                else { throw FleetFault("the deleted records \(first) to \(last) are no whole segments") }
                segmentSize = piece
                deleted += roots
                end = last
            }
        }
    }

    /// Whether a line looks like a record; what it says is for those who read it.
    private static func isRecord(_ line: [UInt8]) -> Bool { line.last == UInt8(ascii: "}") }
}
