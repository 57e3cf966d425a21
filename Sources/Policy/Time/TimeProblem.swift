package import PropertyList

/// What of a target's time could not be told; what it is about counts as open.
package struct TimeProblem: Hashable, Sendable {
    /// Where the window or the calendar's name stands, in the file of the target.
    package let position: Position
    /// The stable code: ``LintCode/unknownZone`` or ``LintCode/unknownCalendar``.
    package let code: LintCode
    /// What is wrong and what follows from it, without place and without a full stop.
    package let message: String

    /// Makes a problem.
    package init(position: Position, code: LintCode, message: String) {
        self.position = position
        self.code = code
        self.message = message
    }

    /// The problem as a finding of the file that the target stands in.
    package func diagnostic(file: String) -> Diagnostic {
        Diagnostic(file: file, position: position, severity: .warning, code: code, message: message)
    }
}
