import Platform
package import PropertyList

extension Target {
    /// What the reason begins with for which a target does not apply that is over.
    package static let endedWords = "applied until"

    /// Whether the target's time has come: `NotBefore`, `NotAfter` and the schedule.
    ///
    /// - Parameters:
    ///   - moment: when; with ``Moment/isClockBehind``, `NotBefore` counts as reached.
    ///   - calendars: the windows of each calendar that is in force, by its name.
    ///   - inWords: whether somebody reads the reason, which is empty otherwise.
    /// - Returns: the answer, until when it holds, and what could not be told.
    package func time(
        at moment: Moment, calendars: [Key: [Window]], inWords: Bool = true
    ) -> TimeVerdict {
        let now = moment.time
        let timetable = schedule.map { Timetable($0, calendars: calendars, zones: moment.zones) }
        let problems = timetable?.problems ?? []
        if let notAfter, now >= notAfter {
            let reason = inWords ? "\(Target.endedWords) \(TimeWords.moment(notAfter, moment))" : ""
            return TimeVerdict(isOpen: false, reason: reason, problems: problems)
        }
        let begin = notBefore.flatMap { now < $0 && !moment.isClockBehind ? $0 : nil }
        var next: Timestamp?
        if let begin {
            next = timetable.map { $0.isOpen(at: begin) ? begin : $0.nextChange(after: begin) } ?? begin
        } else {
            next = timetable?.nextChange(after: now)
        }
        let isOpen = begin == nil && (timetable?.isOpen(at: now) ?? true)
        if let notAfter {
            // What opens at the end does not open; what is open closes there at last.
            let isInTime = next.map { $0 < notAfter } ?? false
            if !isInTime { next = isOpen ? notAfter : nil }
        }
        if isOpen { return TimeVerdict(isOpen: true, nextChange: next, problems: problems) }
        guard inWords else { return TimeVerdict(isOpen: false, reason: "", nextChange: next, problems: problems) }
        let reason: String
        if let begin {
            reason = "applies from \(TimeWords.moment(begin, moment)) on"
        } else {
            reason = TimeWords.closed(timetable?.slots ?? [], next: next, moment)
        }
        return TimeVerdict(isOpen: false, reason: reason, nextChange: next, problems: problems)
    }
}
