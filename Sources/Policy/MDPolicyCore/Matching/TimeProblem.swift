package import MDPlatform
package import MDPolicyModel
package import MDPropertyList

/// An unknown calendar or time zone of a target; its windows count as open.
package struct TimeProblem: Hashable, Sendable {
    /// The place of the window or of the calendar's name, in the file of the target.
    package let position: Position
    /// The stable code: ``LintCode/unknownZone`` or ``LintCode/unknownCalendar``.
    package let code: LintCode
    /// What is wrong and its consequence, without place and without a full stop.
    package let message: String
    /// The time zone that cannot be read; `nil` for the machine's own, and for an unknown calendar.
    package let zone: Key?

    /// Makes a problem of a calendar that no file in force defines.
    package init(unknownCalendar name: Key, at position: Position) {
        self.position = position
        code = .unknownCalendar
        message = "no policy file in force has a calendar \(Printable.escape(name.string)); it counts as an open window"
        zone = nil
    }

    /// Makes a problem of a zone that cannot be read.
    ///
    /// - Parameters:
    ///   - zone: its name; `nil` is the machine's own.
    ///   - error: why.
    ///   - calendar: the calendar whose window has it; `nil` for a window of the schedule itself.
    ///   - position: the place of the window or of the calendar's name.
    ///   - isUsed: whether the window belongs to a file that can be in force.
    package init(
        unreadable zone: Key?, _ error: ZoneError, ofCalendar calendar: Key? = nil, at position: Position,
        isUsed: Bool = true
    ) {
        self.position = position
        code = .unknownZone
        let place = calendar.map { " of the calendar \(Printable.escape($0.string))" } ?? ""
        let name = zone.map { "the time zone \(Printable.escape($0.string))" } ?? "the machine's own time zone"
        message = "\(name)\(place) cannot be read: \(error)" + (isUsed ? "; its window counts as open" : "")
        self.zone = zone
    }

    /// The problem as a finding about the target's file.
    func diagnostic(file: String) -> Diagnostic {
        Diagnostic(file: file, position: position, severity: .warning, code: code, message: message)
    }
}

/// Describes times and windows in words.
enum TimeWords {
    /// A moment in the machine's local time: `Mon 2026-11-23 09:00 CET`.
    static func moment(_ time: Timestamp, _ moment: Moment) -> String {
        self.moment(time, (try? moment.zones.zone(named: nil)) ?? .utc)
    }

    /// A moment in the local time of a zone.
    private static func moment(_ time: Timestamp, _ zone: Zone) -> String {
        let local = zone.local(at: time)
        return "\(day(local)) \(local.date) \(local.timeOfDay) \(Printable.escape(local.abbreviation))"
    }

    /// Why no window is open: the windows, the present time, and the next opening.
    static func closed(_ slots: [ResolvedSchedule.Slot], next: Timestamp?, _ moment: Moment) -> String {
        guard let first = slots.first else { return "its schedule has no window" }
        var windows: [String] = []
        for (index, slot) in slots.prefix(shown).enumerated() {
            // The zone is given once for all windows that share it and follow each other.
            let isLast = index + 1 == min(slots.count, shown) || slots[index + 1].zone.name != slot.zone.name
            windows.append(window(slot.window) + (isLast ? " \(zone(slot.zone))" : ""))
        }
        let rest = slots.count > shown ? " and in \(slots.count - shown) more windows" : ""
        let local = first.zone.local(at: moment.time)
        let now = "\(day(local)) \(local.timeOfDay) \(Printable.escape(local.abbreviation))"
        let then = next.map { "next from \(self.moment($0, first.zone)) on" } ?? "never again"
        return "applies \(windows.joined(separator: ", "))\(rest); it is now \(now), and it applies \(then)"
    }

    /// The most windows that are listed.
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
