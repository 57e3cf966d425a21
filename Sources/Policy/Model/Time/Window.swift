package import PropertyList

/// A stretch of the day that comes again each week on some days.
///
/// It is open exactly while the clock on the wall shows one of its times: a time that a change of the clocks leaves out
/// never comes, and one that it repeats comes twice.
package struct Window: Hashable, Sendable {
    /// The days on which it begins, never none; one that runs over midnight belongs to its first day.
    package let days: Set<Weekday>
    /// The second of the day from which on it is open, from 0 to 86,399.
    package let from: Int
    /// The second of the day from which on it is closed, from 1 to 86,400; not later than ``from`` is on the next day.
    package let to: Int
    /// The IANA name of the zone; `nil` is the machine's own.
    package let timeZone: Key?
    /// Where the window stands.
    package let position: Position

    /// Makes a window.
    package init(days: Set<Weekday>, from: Int, to: Int, timeZone: Key? = nil, position: Position = .start) {
        self.days = days
        self.from = from
        self.to = to
        self.timeZone = timeZone
        self.position = position
    }

    /// Whether it ends on the day after the one on which it begins.
    package var isOvernight: Bool { to <= from }
}
