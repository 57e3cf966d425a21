import Platform
package import PropertyList

/// What of a target's time could not be told; what it is about counts as open.
package struct TimeProblem: Hashable, Sendable {
    /// Where the window or the calendar's name stands, in the file of the target.
    package let position: Position
    /// The stable code: ``LintCode/unknownZone`` or ``LintCode/unknownCalendar``.
    package let code: LintCode
    /// What is wrong and what follows from it, without place and without a full stop.
    package let message: String
    /// The time zone that cannot be read; `nil` for the machine's own, and where it is about something else.
    let zone: Key?

    /// Makes a problem of a calendar that nobody has.
    init(unknownCalendar name: Key, at position: Position) {
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
    ///   - calendar: the calendar whose window has it; `nil` for one of the schedule itself.
    ///   - position: where the window or the calendar's name stands.
    ///   - isUsed: whether the window is one of a file that can be in force.
    init(
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

    /// The problem as a finding of the file that the target stands in.
    package func diagnostic(file: String) -> Diagnostic {
        Diagnostic(file: file, position: position, severity: .warning, code: code, message: message)
    }
}
