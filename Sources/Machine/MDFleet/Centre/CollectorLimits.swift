/// What one host may cost the centre.
package enum CollectorLimits {
    /// The bytes of records that a host may send a day: what a machine stores of three users at their limits.
    package static let mostBytesADay = 64 << 20
    /// The logs that a host may begin a day.
    package static let mostLogsADay = 16
    /// The part of the centre's file system that the records of one host may fill: one in so many.
    package static let share = 16
    /// The bytes that stay free on the centre's file system, for everything but records.
    package static let leastFree = 64 << 20
    /// The records that a segment may have: each is a file here.
    package static let segments = 256...65_536
    /// The bytes of what policy asks about a host: some ten thousand users.
    package static let mostFactsBytes = 2 << 20
    /// The files that are kept of a host in dispute.
    package static let mostDisputedFiles = 16
    /// The bytes of the end of the alarms that are compared with a new one.
    package static let alarmTail = 1 << 16
}
