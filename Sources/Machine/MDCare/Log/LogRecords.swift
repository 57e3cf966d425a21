import MDAuditReading
package import MDAuditRecord
import MDEngine
package import MDPlatform

/// The records of a log that a report needs, and the numbers of the others.
package struct LogRecords: LogReader, Sendable {
    /// The override attempts of the period, oldest first; empty if only their numbers are wanted.
    package private(set) var attempts: [AuditRecord] = []
    /// The numbers of the override attempts of the period.
    package private(set) var tally: AttemptTally
    /// What changed in the period.
    package private(set) var history: PolicyHistory
    /// The attempts of the period that were not stored: those that were counted here, and those that senders say.
    package private(set) var dropped = AttemptCount()
    /// The attempts of all times that were counted here and not stored.
    package private(set) var allDropped = 0
    /// The time of the last record.
    package private(set) var last: Timestamp?

    /// The names of users in records without one.
    private let names: PeopleNames
    /// The number of attempts in the period before.
    private var earlierAttempts = 0
    /// The period.
    private let query: AuditQuery
    /// The period before; `nil` if the period has no beginning.
    private let earlier: AuditQuery?
    /// Whether the attempts themselves are wanted.
    private let isWhole: Bool

    /// Makes an empty list.
    ///
    /// - Parameters:
    ///   - period: the period of attempts and changes.
    ///   - owner: the user that acts for the machine.
    ///   - names: the names of users in records without one.
    package init(_ period: AuditLogInspection.Period, owner: UInt32, names: PeopleNames = PeopleNames()) {
        self.names = names
        history = PolicyHistory(owner: owner)
        tally = AttemptTally(zone: period.zone, names: names)
        query = AuditQuery(since: period.since, until: period.until)
        earlier = period.before.map { AuditQuery(since: $0.since, until: $0.until) }
        isWhole = period.isWhole
    }

    /// The number of attempts that were seen in the period before, which is as long; `nil` if the period has no beginning.
    package var before: (since: Timestamp, attempts: Int)? { earlier?.since.map { ($0, earlierAttempts) } }

    mutating func take(_ attempt: StoredAttempt, in bytes: [UInt8]) -> Bool {
        last = attempt.time
        addEarlier(attempt.attempts, attempt.times)
        guard query.covers(attempt.times) else { return false }
        tally.add(attempt, in: bytes)
        return isWhole
    }

    mutating func take(_ tally: SegmentTally) -> Bool {
        // The times of single attempts are not known.
        guard !isWhole, let isInside = query.coversAll(tally.times),
            let isBefore = earlier.map({ $0.coversAll(tally.times) }) ?? false
        else { return false }
        if isBefore { for quarter in tally.quarters { addEarlier(quarter.attempts) } }
        if isInside { self.tally.add(tally) }
        last = tally.times?.upperBound ?? last
        return true
    }

    mutating func take(_ stored: AuditRecord, isCounted: Bool) {
        let record = stored.named(by: names)
        let times = RecordTimes(record)
        let isInside = query.covers(times)
        last = record.time ?? last
        switch record.kind {
        case .override:
            if !isCounted {
                addEarlier(record.attempts, times)
                if isInside { tally.add(record) }
            }
            if isInside, isWhole { attempts.append(record) }
        case .policy:
            history.addBeginning(record)
            if isInside, record.setOnceMark == nil { history.add(record) }
        case .grant, .recover, .gap, .damaged:
            if isInside { history.add(record) }
        case .drop:
            // The log may have been altered, so a count may have any value.
            let count = max(record.count ?? 1, 0)
            let isClaim = record.src?.isOfSender ?? false
            if !isClaim { allDropped = allDropped.addingReportingOverflow(count).partialValue }
            if isInside { dropped += isClaim ? AttemptCount(claimed: count) : AttemptCount(seen: count) }
        default: break
        }
    }

    /// Counts attempts of the period before.
    private mutating func addEarlier(_ attempts: AttemptCount, _ times: RecordTimes) {
        if earlier?.covers(times) ?? false { addEarlier(attempts.seen) }
    }

    /// Counts attempts that are known to be of the period before.
    private mutating func addEarlier(_ count: Int) {
        earlierAttempts = earlierAttempts.addingReportingOverflow(count).partialValue
    }

    /// Ends the counting, and sorts the changes by their place in the log.
    package mutating func finish() {
        tally.settle()
        history.sort()
    }
}
