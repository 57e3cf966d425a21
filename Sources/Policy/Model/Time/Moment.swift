package import Platform

/// A point in time as policy asks about it.
package struct Moment: Sendable {
    /// The time.
    package var time: Timestamp
    /// What the machine's clock is held to; `nil` where it is known to be right, or another time is asked about.
    private let floor: ClockFloor?
    /// Where time zones come from.
    package var zones: ZoneDatabase

    /// Makes a moment of which it is known whether the clock is behind.
    package init(time: Timestamp, isClockBehind: Bool = false, zones: ZoneDatabase) {
        // A floor that no clock reaches.
        self.init(
            time: time, floor: isClockBehind ? ClockFloor(newest: Timestamp(microseconds: .max)) : nil, zones: zones)
    }

    /// Makes a moment.
    package init(time: Timestamp, floor: ClockFloor?, zones: ZoneDatabase) {
        self.time = time
        self.floor = floor
        self.zones = zones
    }

    /// Whether the clock is earlier than the newest time that the machine has recorded.
    ///
    /// `NotBefore` then counts as reached, and waivers count as expired. Asks the machine, so only where it matters.
    package var isClockBehind: Bool { floor?.isAhead ?? false }

    /// When the clock is not behind any more; `nil` where it is not behind, or where nobody asked whether it is.
    package var clockCatchesUp: Timestamp? { floor?.known.flatMap { Clock.now() < $0 ? $0 : nil } }
}
