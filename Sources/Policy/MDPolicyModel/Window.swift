package import MDPlatform
package import MDPropertyList

/// A part of the day that repeats each week on some days.
///
/// It is open exactly while the local clock shows one of its times: a time that a daylight saving change skips never
/// occurs, and one that it repeats occurs twice.
package struct Window: Hashable, Sendable {
    /// The days on which it begins, at least one; a window over midnight belongs to its first day.
    package let days: Set<Weekday>
    /// The first second of the day at which it is open, from 0 to 86,399.
    package let from: Int
    /// The first second of the day at which it is closed, from 1 to 86,400; if not later than ``from``, on the next
    /// day.
    package let to: Int
    /// The IANA name of the time zone; `nil` is the machine's own.
    package let timeZone: Key?
    /// The place of the window in its file.
    package let position: Position

    package init(days: Set<Weekday>, from: Int, to: Int, timeZone: Key? = nil, position: Position = .start) {
        self.days = days
        self.from = from
        self.to = to
        self.timeZone = timeZone
        self.position = position
    }

    /// Whether it ends on the day after it begins.
    package var isOvernight: Bool { to <= from }
}

/// A day of the week; the raw value counts from Monday, 0, as ISO 8601 orders them.
package enum Weekday: Int, Sendable, Hashable, CaseIterable {
    case monday
    case tuesday
    case wednesday
    case thursday
    case friday
    case saturday
    case sunday

    /// The word in a policy file: `Mon`, `Tue`, `Wed`, `Thu`, `Fri`, `Sat` or `Sun`.
    package var word: String {
        switch self {
        case .monday: "Mon"
        case .tuesday: "Tue"
        case .wednesday: "Wed"
        case .thursday: "Thu"
        case .friday: "Fri"
        case .saturday: "Sat"
        case .sunday: "Sun"
        }
    }
}

/// A named list of weekly windows, which the schedules of all policy files may refer to.
///
/// It applies while its file is in force, whatever the file's target. Of two with one name, that of the first
/// `Enforced` file wins, else that of the last file.
package struct NamedCalendar: Hashable, Sendable {
    package let name: Key
    package let windows: [Window]
    /// The place of the name.
    package let position: Position

    package init(name: Key, windows: [Window], position: Position = .start) {
        self.name = name
        self.windows = windows
        self.position = position
    }
}

/// The time for which policy is resolved, with what is needed to judge it.
package struct Moment: Sendable {
    /// The time.
    package var time: Timestamp
    /// The newest recorded time, to detect a clock that was set back; `nil` if the time is known to be right, or is not
    /// the clock's.
    private let floor: TimeFloor?
    /// The source of time zones.
    package var zones: ZoneDatabase

    /// Makes a moment; the caller knows whether the clock is behind.
    package init(time: Timestamp, isClockBehind: Bool = false, zones: ZoneDatabase) {
        // A floor that no clock reaches.
        self.init(
            time: time, floor: isClockBehind ? TimeFloor(newest: Timestamp(microseconds: .max)) : nil, zones: zones)
    }

    package init(time: Timestamp, floor: TimeFloor?, zones: ZoneDatabase) {
        self.time = time
        self.floor = floor
        self.zones = zones
    }

    /// Whether the clock is earlier than the newest time that the machine has recorded.
    ///
    /// `NotBefore` then counts as reached, and waivers count as expired. Reads the machine's files, so ask only if the
    /// answer matters.
    package var isClockBehind: Bool { floor?.isAhead ?? false }

    /// When the clock will have caught up; `nil` if it is not behind, or if that was never asked.
    package var clockCatchesUp: Timestamp? { floor?.known.flatMap { Clock.now() < $0 ? $0 : nil } }
}
