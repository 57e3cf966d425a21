import MDAuditRecord
import MDPlatform

/// Makes the tally of a segment while its lines are read in order.
struct SegmentTallyBuilder {
    /// The attempts that agree.
    private var cells = AttemptCells()
    /// The attempts of each quarter of an hour that were seen.
    private var quarters: [Int64: Int] = [:]
    /// The offsets of the other lines.
    private var others: [Int] = []
    /// The earliest and the latest time so far.
    private var times: (earliest: Timestamp, latest: Timestamp)?
    /// The number of lines.
    private var lines = 0
    /// The number of the first record.
    private let first: Int
    /// Whether the segment has something that no tally can have.
    private var isImpossible = false
    /// Reads the times of attempts.
    private var clock = PlainTimes()

    /// Makes the builder of a segment whose first record has a number.
    init(first: Int) { self.first = first }

    /// Adds a line.
    ///
    /// - Parameters:
    ///   - line: the line.
    ///   - record: the same, parsed; `nil` if it is not a record.
    ///   - offset: where it begins in the segment.
    mutating func add(_ line: ArraySlice<UInt8>, _ record: AuditRecord?, at offset: Int) {
        defer { lines += 1 }
        // A line that is not the record of its place ends the tally; readers of that line report it.
        guard !isImpossible, let record, record.seq == first + lines else {
            isImpossible = true
            return
        }
        let bytes = Array(line)
        guard let attempt = StoredAttempt(bytes, bytes.indices, &clock),
            cells.add(attempt, in: bytes)
        else {
            others.append(offset)
            isImpossible = others.count > SegmentTally.mostOthers
            return
        }
        let quarter = attempt.time.microseconds.flooringQuotient(by: SegmentTally.quarter)
        quarters[quarter] = (quarters[quarter] ?? 0).addingReportingOverflow(attempt.attempts.seen).partialValue
        let (oldest, newest) = (attempt.times.oldest ?? attempt.time, attempt.times.newest ?? attempt.time)
        times = (
            min(times?.earliest ?? oldest, oldest, newest), max(times?.latest ?? newest, newest, oldest)
        )
    }

    /// The tally as a file, which for some segments says that they can have none.
    mutating func encoded(_ status: FileStatus) -> [UInt8]? {
        let impossible = SegmentTally.impossible.encoded(of: status)
        guard !isImpossible, quarters.values.allSatisfy({ $0 >= 0 }) else { return impossible }
        let quarters = quarters.sorted { $0.key < $1.key }.map { number, attempts in
            SegmentTally.Quarter(
                start: Timestamp(microseconds: number * SegmentTally.quarter), attempts: attempts)
        }
        return SegmentTally(
            first: first, records: lines, times: times.map { $0.earliest...$0.latest }, cells: cells.take(),
            quarters: quarters, others: others
        ).encoded(of: status) ?? impossible
    }
}

extension Int64 {
    /// The quotient, rounded towards negative infinity.
    fileprivate func flooringQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
