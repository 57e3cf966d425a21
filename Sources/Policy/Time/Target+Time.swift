import Platform
package import PropertyList

extension Target {
    /// Whether the target's time has come: `NotBefore`, `NotAfter` and the schedule.
    ///
    /// - Parameters:
    ///   - moment: when; with ``Moment/isClockBehind``, `NotBefore` counts as reached.
    ///   - calendars: the windows of each calendar that is in force, by its name.
    /// - Returns: the answer, until when it holds, and what could not be told.
    package func time(at moment: Moment, calendars: [Key: [Window]]) -> TimeVerdict {
        if let notAfter, moment.time >= notAfter {
            return TimeVerdict(isOpen: false, reason: "it ended at \(notAfter)")
        }
        if let notBefore, moment.time < notBefore, !moment.isClockBehind {
            let isEver = notAfter.map { notBefore < $0 } ?? true
            return TimeVerdict(
                isOpen: false, reason: "it begins at \(notBefore)", nextChange: isEver ? notBefore : nil)
        }
        return TimeVerdict(isOpen: true, nextChange: notAfter)
    }
}
