import Platform
import PropertyList

/// The windows of a schedule, each with its zone.
struct Timetable {
    /// A window and its zone.
    struct Slot {
        /// The window.
        let window: Window
        /// Its zone.
        let zone: Zone
    }

    /// The windows, of which one must be open.
    private(set) var slots: [Slot] = []
    /// What could not be told; each counts as an open window.
    private(set) var problems: [TimeProblem] = []

    /// Looks calendars and zones up.
    init(_ schedule: [ScheduleItem], calendars: [Key: [Window]], zones: ZoneDatabase) {
        for item in schedule {
            switch item {
            case .window(let window):
                add(window, at: window.position, of: nil, zones)
            case .calendar(let name, let position):
                guard let windows = calendars[name] else {
                    problems.append(TimeProblem(unknownCalendar: name, at: position))
                    continue
                }
                for window in windows { add(window, at: position, of: name, zones) }
            }
        }
    }

    /// Adds a window, of a calendar or of the schedule itself.
    private mutating func add(_ window: Window, at position: Position, of calendar: Key?, _ zones: ZoneDatabase) {
        do throws(ZoneError) {
            slots.append(Slot(window: window, zone: try zones.zone(named: window.timeZone?.string)))
        } catch {
            problems.append(TimeProblem(unreadable: window.timeZone, error, ofCalendar: calendar, at: position))
        }
    }

    /// Whether one of the windows is open.
    func isOpen(at time: Timestamp) -> Bool {
        !problems.isEmpty || slots.contains { $0.window.isOpen(at: $0.zone.local(at: time)) }
    }

    /// The first moment after another one at which ``isOpen(at:)`` differs; `nil` where it never does.
    ///
    /// While no clock jumps, all repeats each week, so that a week is searched after each jump. What jumps by the rule of a
    /// zone repeats every 400 years, whose days are whole weeks.
    ///
    /// The work is bounded. Of hundreds of windows in as many zones the answer may be a moment until which nothing
    /// changes, and from which on it has to be asked again: whoever waits for it wakes up too early and never too late.
    func nextChange(after start: Timestamp) -> Timestamp? {
        guard problems.isEmpty, !slots.isEmpty else { return nil }
        let isOpen = isOpen(at: start)
        guard let horizon = Timetable.add(Timetable.horizon, to: start) else { return nil }
        /// The sets of offsets under which nothing changed in a whole week.
        var constant: Set<[Int]> = []
        var looks = Timetable.looks
        var time = start
        while time < horizon {
            looks -= 2 * slots.count
            if looks <= 0, time > start { return time }
            let jump = slots.compactMap { $0.zone.nextTransition(after: time) }.min()
            let offsets = slots.map { $0.zone.local(at: time).offset }
            if !constant.contains(offsets) {
                let week = Timetable.add(Timetable.week, to: time) ?? horizon
                let end = jump.map { min($0, week) } ?? week
                if let change = firstChange(from: isOpen, after: time, until: end, &looks) { return change }
                if jump.map({ week <= $0 }) ?? true { constant.insert(offsets) }
            }
            guard let jump else { return nil }
            if self.isOpen(at: jump) != isOpen { return jump }
            time = jump
        }
        return nil
    }

    /// The first moment at which ``isOpen(at:)`` differs while no clock jumps, or the one that was reached with the last of
    /// the looks; `nil` for none until the end, which is included.
    private func firstChange(
        from isOpen: Bool, after start: Timestamp, until end: Timestamp, _ looks: inout Int
    ) -> Timestamp? {
        // Windows open and close with whole seconds.
        var time = Timestamp(microseconds: start.microseconds - Timetable.remainder(start.microseconds))
        while true {
            let steps = slots.map { $0.window.secondsToBoundary(after: $0.zone.local(at: time)) }
            guard let step = steps.min(), let next = Timetable.add(Int64(step) * 1_000_000, to: time), next <= end
            else {
                return nil
            }
            looks -= 2 * slots.count
            if looks <= 0 || self.isOpen(at: next) != isOpen { return next }
            time = next
        }
    }

    /// How often a window is looked at in one search, at most: some milliseconds' work.
    private static let looks = 100_000

    /// The part of a second, from 0 to 999,999 microseconds.
    private static func remainder(_ microseconds: Int64) -> Int64 {
        let rest = microseconds % 1_000_000
        return rest < 0 ? rest + 1_000_000 : rest
    }

    /// A week, in microseconds.
    private static let week: Int64 = 7 * 86_400 * 1_000_000
    /// How far ahead is searched: 400 years, and what tables list before rules take over; in microseconds.
    private static let horizon: Int64 = 500 * 366 * 86_400 * 1_000_000

    /// A later moment; `nil` where a timestamp cannot tell it.
    private static func add(_ microseconds: Int64, to time: Timestamp) -> Timestamp? {
        let (sum, overflow) = time.microseconds.addingReportingOverflow(microseconds)
        return overflow ? nil : Timestamp(microseconds: sum)
    }
}
