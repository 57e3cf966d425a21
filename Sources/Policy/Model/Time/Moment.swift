package import Platform

/// A point in time as policy asks about it.
package struct Moment: Sendable {
    /// The time.
    package var time: Timestamp
    /// Whether the clock is earlier than the newest time that the machine has recorded.
    ///
    /// `NotBefore` then counts as reached, and waivers count as expired.
    package var isClockBehind: Bool
    /// Where time zones come from.
    package var zones: ZoneDatabase

    /// Makes a moment.
    package init(time: Timestamp, isClockBehind: Bool = false, zones: ZoneDatabase) {
        self.time = time
        self.isClockBehind = isClockBehind
        self.zones = zones
    }
}
