import MDPlatform

/// Counts attempts by day and by hour of the day in a time zone.
struct AttemptTimes: Sendable {
    /// Attempts by day, counted from 1970-01-01.
    private(set) var days: [Int: Int] = [:]
    /// Attempts by hour of the day.
    private(set) var hours = [Int](repeating: 0, count: 24)
    /// The time zone.
    private let zone: Zone
    /// A stretch of time, in microseconds, that has one day and one hour.
    private var stretch: Range<Int64> = 0..<0
    /// The day and the hour of the stretch.
    private var (day, hour) = (0, 0)
    /// Its attempts that were not counted yet.
    private var waiting = 0

    /// The length of a stretch, within which no zone changes twice.
    private static let length: Int64 = 900_000_000

    /// Begins without an attempt.
    init(zone: Zone) { self.zone = zone }

    /// Adds attempts at a time.
    mutating func add(_ count: Int, at time: Timestamp) {
        if !stretch.contains(time.microseconds) {
            settle()
            let time = time.microseconds
            let start = time - (time % AttemptTimes.length + AttemptTimes.length) % AttemptTimes.length
            let first = zone.local(at: Timestamp(microseconds: start))
            let last = zone.local(at: Timestamp(microseconds: start + AttemptTimes.length - 1))
            let isOne = first.day == last.day && first.secondOfDay / 3_600 == last.secondOfDay / 3_600
            let local = isOne ? first : zone.local(at: Timestamp(microseconds: time))
            stretch = isOne ? start..<start + AttemptTimes.length : time..<time + 1
            (day, hour) = (local.day, local.secondOfDay / 3_600)
        }
        waiting = waiting.addingReportingOverflow(count).partialValue
    }

    /// Counts what waits.
    mutating func settle() {
        if waiting == 0 { return }
        days[day] = (days[day] ?? 0).addingReportingOverflow(waiting).partialValue
        if hours.indices.contains(hour) { hours[hour] = hours[hour].addingReportingOverflow(waiting).partialValue }
        waiting = 0
    }
}
