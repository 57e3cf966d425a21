import Platform
import PropertyList

/// What is wrong with the times that files name, at one moment.
struct LintTime {
    /// What is known of other files, which may have calendars.
    private let scope: LintScope
    /// Tells which zones are probably meant.
    private var zones: LintZones
    /// What was found.
    private(set) var findings: [Diagnostic] = []

    /// Looks at targets, calendars and waivers.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - calendars: the calendars that they have.
    ///   - scheduled: the names of calendars in all schedules; `nil` where not all of them are known.
    ///   - moment: when.
    ///   - scope: what is known of other files, which may have calendars.
    init(
        files: [LintFile], calendars: [Key: [Window]], scheduled: Set<Key>?, moment: Moment,
        scope: LintScope = .machine
    ) {
        self.scope = scope
        zones = LintZones(moment.zones)
        for file in files {
            if let target = file.policy.target { check(target, of: file, calendars, moment) }
            for calendar in file.policy.calendars {
                if let scheduled, !scheduled.contains(calendar.name) {
                    findings.append(
                        file.warning(
                            .unusedCalendar, at: calendar.position,
                            "no Schedule names the calendar \"\(Printable.escape(calendar.name.string))\""))
                }
                // A schedule of this calendar alone asks for each of its zones.
                for window in calendar.windows {
                    let alone = Target(include: Target.Clauses(), schedule: [.window(window)])
                    for problem in alone.time(at: moment, calendars: [:]).problems {
                        findings.append(zones.finding(of: problem, in: file.shownPath))
                    }
                }
            }
            for waiver in file.policy.waivers { check(waiver, of: file, moment.time) }
        }
    }

    /// Reports a target whose time is over, or never comes, and what of its schedule cannot be told.
    private mutating func check(
        _ target: Target, of file: LintFile, _ calendars: [Key: [Window]], _ moment: Moment
    ) {
        let verdict = target.time(at: moment, calendars: calendars)
        for problem in verdict.problems {
            guard let name = LintTime.calendar(of: problem, target) else {
                findings.append(zones.finding(of: problem, in: file.shownPath))
                continue
            }
            let message =
                scope == .machine
                ? problem.message
                : "\(scope.nobody) has a calendar \(Printable.escape(name.string)); where no other has it, it counts as an"
                    + " open window"
            findings.append(
                file.warning(problem.code, at: problem.position, message + LintTime.hint(name, calendars)))
        }
        guard !verdict.isOpen, verdict.nextChange == nil else { return }
        let position = file.policy.targetPosition
        if let begin = target.notBefore, let end = target.notAfter, end <= begin {
            findings.append(
                file.warning(
                    .neverStarts, at: position,
                    "this target never applies: its NotAfter is not later than its NotBefore"))
        } else if let end = target.notAfter, end <= moment.time {
            findings.append(
                file.warning(
                    .expired, at: position,
                    "this target is over since \(LintTime.words(end)), so the file does nothing any more"))
        } else if target.schedule?.isEmpty == false {
            let words = target.notAfter == nil ? "" : " before its NotAfter"
            findings.append(
                file.warning(
                    .neverStarts, at: position, "this target never applies: no window of its Schedule opens\(words)"))
        }
    }

    /// Reports a waiver that is over, has no end or no reason.
    private mutating func check(_ waiver: Waiver, of file: LintFile, _ now: Timestamp) {
        let position = waiver.origin.position
        if waiver.reason.isBlank {
            findings.append(
                file.warning(
                    .waiverWithoutReason, at: position,
                    "this waiver has no Reason; whoever reads the report will ask why"))
        }
        guard let until = waiver.until else {
            findings.append(
                file.warning(.waiverWithoutEnd, at: position, "this waiver has no Until, so it never ends"))
            return
        }
        if let begin = file.policy.target?.notBefore, until <= begin {
            findings.append(
                file.warning(
                    .waiverWithoutEffect, at: position,
                    "this waiver ends at \(LintTime.words(until)), before its file begins to apply"))
        } else if until <= now {
            findings.append(
                file.warning(
                    .expiredWaiver, at: position,
                    "this waiver ended at \(LintTime.words(until)) and lifts nothing any more"))
        }
    }

    /// The name of the calendar that a problem is about; `nil` for other problems.
    private static func calendar(of problem: TimeProblem, _ target: Target) -> Key? {
        guard problem.code == .unknownCalendar else { return nil }
        for case .calendar(let name, problem.position) in target.schedule ?? [] { return name }
        return nil
    }

    /// Which calendar is probably meant by a name that none has; empty where none is near.
    private static func hint(_ name: Key, _ calendars: [Key: [Window]]) -> String {
        let nearest = Suggestion.nearest(to: name.string, among: calendars.keys.sorted().map(\.string))
        return nearest.map { "; \(Printable.escape($0)) is probably meant" } ?? ""
    }

    /// A time in whole seconds, as files write it.
    static func words(_ time: Timestamp) -> String {
        "\(time.rfc3339.prefix(19))Z"
    }
}
