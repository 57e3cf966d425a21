import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDPlatform

/// The index of a full segment: the places and times of the records of each user, domain, key and kind.
///
/// A cache beside the segment that may be removed at any time. It is used only if it belongs to the segment's owner or to
/// root, no other user can write it, it names the segment's size, time and first bytes, and its digests match. The layout,
/// numbers with the lowest byte first:
///
///     16 bytes  the name of the format
///      8, 8     size of the segment, time of its last change in nanoseconds
///     32        SHA-256 of its first 4,096 bytes
///      8, 8     the earliest and the latest time of its records in microseconds
///      4, 4     number of lines, number of lines that are not records
///     256 × 16  of each bucket: offset, length, first 8 bytes of its SHA-256
///     32        SHA-256 of all before
///     …         buckets: of each term its number (8), the number of records (4), the bytes of what follows (4), and the
///               offsets of the lines, each less the one before, in groups of seven bits
struct SegmentIndex {
    /// The name of the format; the number at its end grows with every change.
    static let magic = Array("mdefaults index2".utf8)
    /// The number of buckets.
    static let bucketCount = 256
    /// The offset of the first bucket's entry in the head.
    static let directory = 88
    /// The number of bytes of the head with its digest.
    static let headSize = directory + bucketCount * 16 + Digest.byteCount
    /// The number of bytes at the beginning of the segment that the head has the digest of.
    static let sampleSize = 4_096
    /// The largest segment that has an index, because an offset has four bytes.
    static let largestSegment = Int(UInt32.max)
    /// The most bytes of a bucket.
    static let largestBucket = 16 << 20

    /// The earliest and the latest time of the records; `nil` if there are none.
    let times: ClosedRange<Timestamp>?
    /// The number of lines that are not records.
    let problems: Int
    /// The number of lines.
    private let lines: Int
    /// The size of the segment.
    private let size: Int
    /// The head.
    private let head: [UInt8]
    /// The file.
    private let file: Handle

    /// Keeps the file open.
    private final class Handle {
        let file: ReadFile
        init(_ file: consuming ReadFile) { self.file = file }
    }

    /// The path of the index of a segment.
    static func path(ofSegment path: String) -> String { "\(path.dropLast(".jsonl".count)).index" }

    /// Opens the index of a segment; `nil` if there is none to rely on.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - path: the segment.
    ///   - segment: the same, open.
    init?(root: Root, path: String, segment: borrowing ReadFile) {
        guard let cache = SegmentCache(root: root, path: SegmentIndex.path(ofSegment: path), of: segment),
            let head = try? cache.file.read(offset: 0, count: SegmentIndex.headSize),
            head.count == SegmentIndex.headSize,
            head.starts(with: SegmentIndex.magic),
            let sample = try? segment.read(offset: 0, count: SegmentIndex.sampleSize)
        else { return nil }
        let status = cache.segment
        let end = SegmentIndex.headSize - Digest.byteCount
        guard SHA256.hash(Array(head[..<end])).bytes.elementsEqual(head[end...]),
            SegmentIndex.number(head, at: 16) == UInt64(status.size),
            SegmentIndex.number(head, at: 24) == UInt64(bitPattern: status.modified),
            SHA256.hash(sample).bytes.elementsEqual(head[32..<64])
        else { return nil }
        let earliest = Int64(bitPattern: SegmentIndex.number(head, at: 64))
        let latest = Int64(bitPattern: SegmentIndex.number(head, at: 72))
        times =
            earliest <= latest
            ? Timestamp(microseconds: earliest)...Timestamp(microseconds: latest) : nil
        lines = Int(SegmentIndex.number(head, at: 80, count: 4))
        problems = Int(SegmentIndex.number(head, at: 84, count: 4))
        size = status.size
        self.head = head
        file = Handle(cache.file)
    }

    /// The offsets of the lines that may match a query, in their order; `nil` if the index is damaged.
    func offsets(_ groups: [[IndexTerm]]) -> [Int]? {
        var result: [Int]?
        for group in groups {
            var union: Set<Int> = []
            for term in group {
                guard let offsets = offsets(of: term) else { return nil }
                union.formUnion(offsets)
            }
            result = (result.map { $0.filter(union.contains) }) ?? union.sorted()
        }
        return result ?? []
    }

    /// The offsets of the lines with a term; `nil` if the index is damaged.
    private func offsets(of term: IndexTerm) -> [Int]? {
        let entry = SegmentIndex.directory + term.bucket * 16
        let offset = Int(SegmentIndex.number(head, at: entry, count: 4))
        let length = Int(SegmentIndex.number(head, at: entry + 4, count: 4))
        if length == 0 { return [] }
        guard length <= SegmentIndex.largestBucket,
            let bytes = try? file.file.read(offset: SegmentIndex.headSize + offset, count: length),
            bytes.count == length,
            SHA256.hash(bytes).bytes.prefix(8).elementsEqual(head[entry + 8..<entry + 16])
        else { return nil }
        var index = 0
        while index + 16 <= bytes.count {
            let number = SegmentIndex.number(bytes, at: index)
            let count = Int(SegmentIndex.number(bytes, at: index + 8, count: 4))
            let length = Int(SegmentIndex.number(bytes, at: index + 12, count: 4))
            index += 16
            guard length <= bytes.count - index, count <= lines else { return nil }
            if number == term.number { return SegmentIndex.decode(bytes[index..<index + length], count, below: size) }
            index += length
        }
        return index == bytes.count ? [] : nil
    }

    /// Decodes growing offsets; `nil` if there are not as many, or one is not below the limit.
    private static func decode(_ bytes: ArraySlice<UInt8>, _ count: Int, below limit: Int) -> [Int]? {
        var offsets: [Int] = []
        offsets.reserveCapacity(min(count, bytes.count))
        var (offset, part, shift) = (0, 0, 0)
        for byte in bytes {
            guard shift < 35 else { return nil }
            part |= Int(byte & 0x7f) << shift
            shift += 7
            if byte & 0x80 != 0 { continue }
            offset += part
            guard offset < limit, offsets.isEmpty || part > 0 else { return nil }
            offsets.append(offset)
            (part, shift) = (0, 0)
        }
        return shift == 0 && offsets.count == count ? offsets : nil
    }

    /// A number with the lowest byte first.
    static func number(_ bytes: [UInt8], at offset: Int, count: Int = 8) -> UInt64 {
        (0..<count).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
    }

    /// A number as bytes with the lowest first.
    static func bytes(_ number: UInt64, count: Int = 8) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    }
}
