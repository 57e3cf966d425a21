package import Platform

extension Moment {
    /// The next moment at which the machine's wall clock shows a time: today, or tomorrow; later where a change of the
    /// clocks leaves it out.
    ///
    /// - Parameter second: the second of the day, from 0 to 86,399.
    /// - Returns: the moment, later than this one; `nil` where no timestamp can tell it.
    /// - Throws: where the machine's own time zone cannot be read.
    package func next(secondOfDay second: Int) throws(ZoneError) -> Timestamp? {
        _ = try zones.zone(named: nil)
        let window = Window(days: Set(Weekday.allCases), from: second, to: second + 1)
        let timetable = Timetable([.window(window)], calendars: [:], zones: zones)
        guard timetable.isOpen(at: time) else { return timetable.nextChange(after: time) }
        return timetable.nextChange(after: time).flatMap { timetable.nextChange(after: $0) }
    }

    /// A moment on the machine's wall clock, for people: `Mon 2026-11-23 09:00 CET`; in UTC where its zone cannot be read.
    package func words(for other: Timestamp) -> String { TimeWords.moment(other, self) }
}
