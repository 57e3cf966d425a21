/// A number of attempts, by how it is known.
///
/// A sender joins equal attempts, and says in the count of a record how many they are. The service has not counted them, so
/// that the number beyond the lines which arrived stays a claim.
package struct AttemptCount: Hashable, Sendable {
    /// Those that arrived: the lines of messages.
    package var seen = 0
    /// Those that a sender says there were beside them.
    package var claimed = 0

    /// All of them: the number by which sender and service settle.
    package var total: Int { seen.addingReportingOverflow(claimed).partialValue }

    /// Makes a number of attempts that arrived, and of those beside them.
    package init(seen: Int = 0, claimed: Int = 0) { (self.seen, self.claimed) = (seen, claimed) }

    /// The attempts of one line that counts so many.
    package init(lineOf count: Int) { (seen, claimed) = (1, max(count - 1, 0)) }

    /// The attempts of a stored record.
    ///
    /// One that a user kept in a spool is a claim as a whole. What a program sends is one attempt that arrived, whatever its
    /// count. What root's own programs observe, they count themselves.
    ///
    /// - Parameters:
    ///   - source: the source of the record.
    ///   - count: the count of the record; a log may have been altered, so it may be anything.
    package init(of source: RecordSource?, count: Int?) {
        let count = max(count ?? 1, 1)
        if source == .spool {
            self.init(claimed: count)
        } else if source?.isOfSender ?? false {
            self.init(lineOf: count)
        } else {
            self.init(seen: count)
        }
    }

    /// The sum of two numbers.
    package static func + (left: AttemptCount, right: AttemptCount) -> AttemptCount {
        AttemptCount(
            seen: left.seen.addingReportingOverflow(right.seen).partialValue,
            claimed: left.claimed.addingReportingOverflow(right.claimed).partialValue)
    }

    /// What is left of a number without another one.
    package static func - (left: AttemptCount, right: AttemptCount) -> AttemptCount {
        left + AttemptCount(seen: -right.seen, claimed: -right.claimed)
    }

    package static func += (left: inout AttemptCount, right: AttemptCount) { left = left + right }
    package static func -= (left: inout AttemptCount, right: AttemptCount) { left = left - right }

    /// As many of them as another number has.
    package func limited(to other: AttemptCount) -> AttemptCount {
        AttemptCount(seen: min(seen, other.seen), claimed: min(claimed, other.claimed))
    }
}

extension AuditRecord {
    /// The attempts that the record counts, by how they are known.
    package var attempts: AttemptCount { AttemptCount(of: src, count: count) }
}
