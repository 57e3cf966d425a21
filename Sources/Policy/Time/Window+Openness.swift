import Platform

extension Window {
    /// Whether the window is open while the wall clock of its zone shows a time.
    func isOpen(at local: LocalTime) -> Bool {
        guard isOvernight else {
            return begins(on: local.day) && from <= local.secondOfDay && local.secondOfDay < to
        }
        return (begins(on: local.day) && from <= local.secondOfDay)
            || (begins(on: local.day - 1) && local.secondOfDay < to)
    }

    /// Whether the window begins on a day, counted from 1970-01-01.
    private func begins(on day: Int) -> Bool {
        Weekday(rawValue: LocalTime.weekday(ofDay: day)).map(days.contains) ?? false
    }

    /// How many seconds after a time the wall clock next shows one at which the window may open or close; more than 0.
    func secondsToBoundary(after local: LocalTime) -> Int {
        let day = 86_400
        return [from, to % day].map { boundary in
            boundary > local.secondOfDay ? boundary - local.secondOfDay : boundary + day - local.secondOfDay
        }.min() ?? day
    }
}
