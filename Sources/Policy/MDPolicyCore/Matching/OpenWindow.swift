package import MDPlatform
package import MDPolicyModel

extension Window {
    /// Whether the window is open at a local time of its zone.
    package func isOpen(at local: LocalTime) -> Bool {
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

    /// The seconds from a local time to the next one at which the window may open or close; more than 0.
    func secondsToBoundary(after local: LocalTime) -> Int {
        let day = 86_400
        return [from, to % day].map { boundary in
            boundary > local.secondOfDay ? boundary - local.secondOfDay : boundary + day - local.secondOfDay
        }.min() ?? day
    }
}
