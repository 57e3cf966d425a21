/// A number of attempts, by how it is known.
///
/// A sender joins equal attempts, and says in the count of a record how many they are. The service has not counted them, so
/// that the number beyond the lines which arrived stays a claim wherever it is not stored with its record.
struct AttemptCount: Hashable, Sendable {
    /// Those that arrived: the lines of messages.
    var seen = 0
    /// Those that a sender says there were beside them.
    var claimed = 0

    /// All of them: the number by which sender and service settle.
    var total: Int { seen.addingReportingOverflow(claimed).partialValue }

    /// Makes a number of attempts that arrived, and of those beside them.
    init(seen: Int = 0, claimed: Int = 0) { (self.seen, self.claimed) = (seen, claimed) }

    /// The attempts of one line that counts so many.
    init(lineOf count: Int) { (seen, claimed) = (1, max(count - 1, 0)) }

    /// The sum of two numbers.
    static func + (left: AttemptCount, right: AttemptCount) -> AttemptCount {
        AttemptCount(
            seen: left.seen.addingReportingOverflow(right.seen).partialValue,
            claimed: left.claimed.addingReportingOverflow(right.claimed).partialValue)
    }

    /// What is left of a number without another one.
    static func - (left: AttemptCount, right: AttemptCount) -> AttemptCount {
        left + AttemptCount(seen: -right.seen, claimed: -right.claimed)
    }

    static func += (left: inout AttemptCount, right: AttemptCount) { left = left + right }
    static func -= (left: inout AttemptCount, right: AttemptCount) { left = left - right }

    /// As many of them as another number has.
    func limited(to other: AttemptCount) -> AttemptCount {
        AttemptCount(seen: min(seen, other.seen), claimed: min(claimed, other.claimed))
    }
}
