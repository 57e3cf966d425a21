import Platform

/// Says in words when a target applies.
enum TimeWords {
    /// A moment on the machine's own wall clock: `Mon 2026-11-23 09:00 CET`.
    static func moment(_ time: Timestamp, _ moment: Moment) -> String {
        self.moment(time, (try? moment.zones.zone(named: nil)) ?? .utc)
    }

    /// A moment on a zone's wall clock.
    private static func moment(_ time: Timestamp, _ zone: Zone) -> String {
        let local = zone.local(at: time)
        return "\(day(local)) \(local.date) \(local.timeOfDay) \(Printable.escape(local.abbreviation))"
    }

    /// Why no window is open: when they are, what time it is, and when the next one opens.
    static func closed(_ slots: [Timetable.Slot], next: Timestamp?, _ moment: Moment) -> String {
        guard let first = slots.first else { return "its schedule has no window" }
        var windows: [String] = []
        for (index, slot) in slots.prefix(shown).enumerated() {
            // A zone is said once for all windows that follow in it.
            let isLast = index + 1 == min(slots.count, shown) || slots[index + 1].zone.name != slot.zone.name
            windows.append(window(slot.window) + (isLast ? " \(zone(slot.zone))" : ""))
        }
        let rest = slots.count > shown ? " and in \(slots.count - shown) more windows" : ""
        let local = first.zone.local(at: moment.time)
        let now = "\(day(local)) \(local.timeOfDay) \(Printable.escape(local.abbreviation))"
        let then = next.map { "next from \(self.moment($0, first.zone)) on" } ?? "never again"
        return "applies \(windows.joined(separator: ", "))\(rest); it is now \(now), and it applies \(then)"
    }

    /// The most windows that are named.
    private static let shown = 3

    /// A window: `Mon, Wed from 09:00 to 11:00`.
    private static func window(_ window: Window) -> String {
        let isDaily = window.days.count == Weekday.allCases.count
        let days = Weekday.allCases.filter(window.days.contains).map(\.word).joined(separator: ", ")
        if isDaily, window.from == 0, window.to == 86_400 { return "every day" }
        let time = "from \(LocalTime.timeOfDay(window.from)) to \(LocalTime.timeOfDay(window.to))"
        return "\(isDaily ? "every day" : days) \(time)"
    }

    /// A zone by its name: `in Europe/Zurich`.
    private static func zone(_ zone: Zone) -> String {
        zone.name.map { "in \(Printable.escape($0))" } ?? "in the machine's time zone"
    }

    /// The day of the week: `Mon`.
    private static func day(_ local: LocalTime) -> String {
        Weekday(rawValue: local.weekday)?.word ?? ""
    }
}
