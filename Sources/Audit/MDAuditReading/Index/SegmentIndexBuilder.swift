import MDAuditRecord
import MDPlatform

/// Makes the index of a segment while its lines are read in order.
struct SegmentIndexBuilder {
    /// The offsets of a term, encoded as they are written.
    fileprivate struct Posting {
        /// The number of lines.
        var count: UInt32 = 0
        /// The offset of the last of them.
        var last = 0
        /// The offsets, each less the one before, in groups of seven bits.
        var bytes: [UInt8] = []
    }

    /// The offsets, by term.
    private var postings: [IndexTerm: Posting] = [:]
    /// The earliest and the latest time so far.
    private var times: (earliest: Int64, latest: Int64) = (.max, .min)
    /// The number of lines, and of those that are not records.
    private var (lines, problems): (UInt32, UInt32) = (0, 0)

    /// Makes the builder of an empty segment.
    init() {}

    /// Adds a line that begins at an offset; `nil` for one that is not a record.
    mutating func add(_ record: AuditRecord?, at offset: Int) {
        lines &+= 1
        // A record without its number is a problem that has to be named, too.
        guard let record, record.seq > 0 else {
            problems &+= 1
            return
        }
        let own = RecordTimes(record)
        if let oldest = own.oldest { times.earliest = min(times.earliest, oldest.microseconds) }
        if let newest = own.newest { times.latest = max(times.latest, newest.microseconds) }
        for term in IndexTerm.terms(of: record) { postings[term, default: Posting()].add(offset) }
    }

    /// The index as a file.
    ///
    /// - Parameters:
    ///   - status: the segment.
    ///   - sample: its first bytes.
    /// - Returns: `nil` for a segment that is too large for an index.
    func encoded(_ status: FileStatus, sample: [UInt8]) -> [UInt8]? {
        guard status.size <= SegmentIndex.largestSegment else { return nil }
        var buckets = [[UInt8]](repeating: [], count: SegmentIndex.bucketCount)
        for (term, posting) in postings.sorted(by: { $0.key < $1.key }) {
            let head =
                SegmentIndex.bytes(term.number) + SegmentIndex.bytes(UInt64(posting.count), count: 4)
                + SegmentIndex.bytes(UInt64(posting.bytes.count), count: 4)
            buckets[term.bucket] += head
            buckets[term.bucket] += posting.bytes
        }
        guard buckets.allSatisfy({ $0.count <= SegmentIndex.largestBucket }) else { return nil }
        var file = SegmentIndex.magic + SegmentIndex.bytes(UInt64(status.size))
        file += SegmentIndex.bytes(UInt64(bitPattern: status.modified)) + SHA256.hash(sample).bytes
        file += SegmentIndex.bytes(UInt64(bitPattern: times.earliest))
        file += SegmentIndex.bytes(UInt64(bitPattern: times.latest))
        file += SegmentIndex.bytes(UInt64(lines), count: 4) + SegmentIndex.bytes(UInt64(problems), count: 4)
        var offset = 0
        for bucket in buckets {
            file += SegmentIndex.bytes(UInt64(offset), count: 4) + SegmentIndex.bytes(UInt64(bucket.count), count: 4)
            file += bucket.isEmpty ? [UInt8](repeating: 0, count: 8) : Array(SHA256.hash(bucket).bytes.prefix(8))
            offset += bucket.count
        }
        file += SHA256.hash(file).bytes
        for bucket in buckets { file += bucket }
        return file
    }
}

extension SegmentIndexBuilder.Posting {
    /// Adds the offset of a line, which is larger than all before.
    fileprivate mutating func add(_ offset: Int) {
        // A record can have two terms with one number.
        if count > 0, offset == last { return }
        var rest = offset - last
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
        (count, last) = (count + 1, offset)
    }
}
