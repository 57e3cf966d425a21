import MDAuditClient
import MDAuditLog
import MDAuditRecord
package import MDPlatform

/// What a full segment counts: the attempts that agree, the attempts of each quarter of an hour, and the places of all
/// other records.
///
/// A file beside the segment that saves reading each of its lines. It is used only for the very file that was counted:
/// it has the number of the file and the time of its last change, so that a copy of the log is counted again. The
/// layout, numbers with the lowest byte first:
///
///     16 bytes  the name of the format
///      8 × 4    number, size, and times of the last change of content and of status of the segment's file
///      8, 4     number of the first record, number of the records
///      4 × 3    number of other records, of quarters, of cells
///      8, 8     the earliest and the latest time of its attempts in microseconds
///     8 each    the offset of each other record
///     16 each   of each quarter with attempts: its number since 1970, the attempts that were seen
///     …         of each cell: user (4), records (4), attempts that were seen (8), those that are claimed (8), and six
///               texts, each its length (2) and its bytes
///     32        SHA-256 of all before
package struct SegmentTally: Hashable, Sendable {
    /// The attempts of a quarter of an hour.
    package struct Quarter: Hashable, Sendable {
        /// When it began.
        package let start: Timestamp
        /// The attempts that were seen.
        package let attempts: Int
    }

    /// The number of the first record.
    package let first: Int
    /// The number of the records, which have the numbers from the first on.
    package let records: Int
    /// The earliest and the latest time of its attempts, also of repeated ones; `nil` if there are none.
    package let times: ClosedRange<Timestamp>?
    /// The attempts that agree.
    package let cells: [AttemptCells.Cell]
    /// The attempts of each quarter of an hour, in order.
    package let quarters: [Quarter]
    /// The offsets of the lines that are nothing of that, in order.
    let others: [Int]

    /// The name of the format; the number at its end grows with every change.
    static let magic = Array("mdefaults tally3".utf8)
    /// The most lines that are not plain attempts.
    static let mostOthers = 8_192
    /// The most bytes of a file.
    static let largest = 16 << 20
    /// The length of a quarter in microseconds.
    static let quarter: Int64 = 900_000_000
    /// The length that a text has in the file if there is none.
    static let missing = UInt64(UInt16.max)

    /// Makes a value.
    init(
        first: Int, records: Int, times: ClosedRange<Timestamp>?, cells: [AttemptCells.Cell], quarters: [Quarter],
        others: [Int]
    ) {
        (self.first, self.records, self.times) = (first, records, times)
        (self.cells, self.quarters, self.others) = (cells, quarters, others)
    }

    /// The path of the tally of a segment.
    static func path(ofSegment path: String) -> String { "\(path.dropLast(".jsonl".count)).tally" }

    /// The tally of a segment that cannot have one, written so that the segment is not read for it again.
    static let impossible = SegmentTally(first: 1, records: 0, times: nil, cells: [], quarters: [], others: [])

    /// Reads the tally of a segment; `nil` if there is none to rely on.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - path: the segment.
    ///   - segment: the same, open.
    init?(root: Root, path: String, segment: borrowing ReadFile) {
        guard let tally = SegmentTally.written(root: root, path: path, segment: segment), tally.records > 0 else {
            return nil
        }
        self = tally
    }

    /// What was written for a segment, which may be ``impossible``; `nil` if it has to be made.
    static func written(root: Root, path: String, segment: borrowing ReadFile) -> SegmentTally? {
        guard let cache = SegmentCache(root: root, path: SegmentTally.path(ofSegment: path), of: segment),
            let bytes = try? cache.file.read(offset: 0, count: SegmentTally.largest), bytes.count < SegmentTally.largest
        else { return nil }
        return SegmentTally(bytes, of: cache.segment)
    }

    /// Reads the bytes of a file; `nil` unless they are the tally of a segment.
    ///
    /// - Parameters:
    ///   - bytes: the bytes.
    ///   - status: the segment.
    init?(_ bytes: [UInt8], of status: FileStatus) {
        let end = bytes.count - Digest.byteCount
        guard end > 0, bytes.starts(with: SegmentTally.magic + SegmentTally.name(of: status)),
            SHA256.hash(Array(bytes[..<end])).bytes.elementsEqual(bytes[end...])
        else { return nil }
        var numbers = TallyNumbers(bytes, from: SegmentTally.magic.count + 32, to: end)
        guard let first = numbers.int(), first > 0, let records = numbers.int(4),
            let others = numbers.int(4), others <= min(records, SegmentTally.mostOthers),
            let quarters = numbers.int(4), quarters <= records, let cells = numbers.int(4), cells <= records,
            let earliest = numbers.time(), let latest = numbers.time()
        else { return nil }
        (self.first, self.records) = (first, records)
        times = earliest <= latest ? earliest...latest : nil
        var (offsets, last): ([Int], Int) = ([], -1)
        for _ in 0..<others {
            guard let offset = numbers.int(), offset > last, offset < status.size else { return nil }
            offsets.append(offset)
            last = offset
        }
        var (list, before): ([Quarter], Int64) = ([], .min)
        for _ in 0..<quarters {
            guard let number = numbers.next(8).map({ Int64(bitPattern: $0) }), number > before,
                let start = TallyNumbers.time(number.multipliedReportingOverflow(by: SegmentTally.quarter)),
                let attempts = numbers.int()
            else { return nil }
            list.append(Quarter(start: start, attempts: attempts))
            before = number
        }
        var (found, counted): ([AttemptCells.Cell], Int) = ([], 0)
        for _ in 0..<cells {
            guard let cell = numbers.cell(), cell.records <= records - counted else { return nil }
            found.append(cell)
            counted += cell.records
        }
        guard numbers.isAtEnd, counted + others == records, times != nil || counted == 0 else { return nil }
        (self.others, self.quarters, self.cells) = (offsets, list, found)
    }

    /// What names a segment's file in its present state.
    private static func name(of status: FileStatus) -> [UInt8] {
        SegmentIndex.bytes(status.inode) + SegmentIndex.bytes(UInt64(status.size))
            + SegmentIndex.bytes(UInt64(bitPattern: status.modified))
            + SegmentIndex.bytes(UInt64(bitPattern: status.changed))
    }

    /// The value as a file.
    ///
    /// - Parameter status: the segment.
    /// - Returns: `nil` if it would be too large.
    func encoded(of status: FileStatus) -> [UInt8]? {
        var file = SegmentTally.magic + SegmentTally.name(of: status) + SegmentIndex.bytes(UInt64(first))
        for count in [records, others.count, quarters.count, cells.count] {
            file += SegmentIndex.bytes(UInt64(count), count: 4)
        }
        // Without a time the earliest one is the later one.
        file += SegmentIndex.bytes(UInt64(bitPattern: times?.lowerBound.microseconds ?? 1))
        file += SegmentIndex.bytes(UInt64(bitPattern: times?.upperBound.microseconds ?? 0))
        for offset in others { file += SegmentIndex.bytes(UInt64(offset)) }
        for quarter in quarters {
            file += SegmentIndex.bytes(UInt64(bitPattern: quarter.start.microseconds / SegmentTally.quarter))
            file += SegmentIndex.bytes(UInt64(quarter.attempts))
        }
        for cell in cells {
            file += SegmentIndex.bytes(UInt64(cell.uid), count: 4) + SegmentIndex.bytes(UInt64(cell.records), count: 4)
            for count in [cell.attempts.seen, cell.attempts.claimed] { file += SegmentIndex.bytes(UInt64(count)) }
            for text in [cell.user, cell.exe, cell.via, cell.domain, cell.key, cell.outcome] {
                guard let text else {
                    file += SegmentIndex.bytes(SegmentTally.missing, count: 2)
                    continue
                }
                guard text.utf8.count < SegmentTally.missing else { return nil }
                file += SegmentIndex.bytes(UInt64(text.utf8.count), count: 2) + Array(text.utf8)
            }
        }
        file += SHA256.hash(file).bytes
        return file.count < SegmentTally.largest ? file : nil
    }
}

/// Reads the numbers and texts of a tally one after the other.
private struct TallyNumbers {
    /// The bytes.
    private let bytes: [UInt8]
    /// The next place, and the end.
    private var (index, end): (Int, Int)

    /// Makes a value.
    init(_ bytes: [UInt8], from start: Int, to end: Int) { (self.bytes, index, self.end) = (bytes, start, end) }

    /// Whether everything was read.
    var isAtEnd: Bool { index == end }

    /// Reads a number of some bytes; `nil` if they are not there.
    mutating func next(_ count: Int) -> UInt64? {
        guard count <= end - index else { return nil }
        defer { index += count }
        return SegmentIndex.number(bytes, at: index, count: count)
    }

    /// Reads a number that is not negative.
    mutating func int(_ count: Int = 8) -> Int? { next(count).flatMap { Int(exactly: $0) } }

    /// Reads a time.
    mutating func time() -> Timestamp? {
        next(8).flatMap { TallyNumbers.time((Int64(bitPattern: $0), false)) }
    }

    /// The time of so many microseconds; `nil` if there is none.
    static func time(_ microseconds: (partialValue: Int64, overflow: Bool)) -> Timestamp? {
        guard !microseconds.overflow, Timestamp.range.contains(microseconds.partialValue) else { return nil }
        return Timestamp(microseconds: microseconds.partialValue)
    }

    /// Reads a cell.
    mutating func cell() -> AttemptCells.Cell? {
        guard let uid = next(4).flatMap({ UInt32(exactly: $0) }), let records = int(4), records > 0,
            let seen = int(), let claimed = int(),
            case .some(let user) = text(), case .some(let exe) = text(),
            case .some(.some(let via)) = text(), case .some(.some(let domain)) = text(),
            case .some(.some(let key)) = text(), case .some(.some(let outcome)) = text()
        else { return nil }
        return AttemptCells.Cell(
            uid: uid, user: user, exe: exe, via: via, domain: domain, key: key, outcome: outcome, records: records,
            attempts: AttemptCount(seen: seen, claimed: claimed))
    }

    /// Reads a text, which may be missing; `nil` if it is not there whole.
    private mutating func text() -> String?? {
        guard let count = next(2) else { return nil }
        if count == SegmentTally.missing { return .some(nil) }
        guard Int(count) <= end - index else { return nil }
        defer { index += Int(count) }
        return String(validating: bytes[index..<index + Int(count)], as: UTF8.self).map { .some($0) }
    }
}
