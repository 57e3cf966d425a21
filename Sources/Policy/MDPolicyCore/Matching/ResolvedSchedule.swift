package import MDPlatform
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

/// The windows of a schedule with their calendars and time zones resolved.
struct ResolvedSchedule {
    /// A window and its zone.
    struct Slot {
        let window: Window
        /// The time zone of the window.
        let zone: Zone
    }

    /// The windows; at least one must be open.
    private(set) var slots: [Slot] = []
    /// The unknown calendars and time zones; each counts as an open window.
    private(set) var problems: [TimeProblem] = []

    /// Resolves the calendars and time zones of a schedule.
    init(_ schedule: [ScheduleItem], calendars: [Key: [Window]], zones: ZoneDatabase) {
        for item in schedule {
            switch item {
            case .window(let window):
                add(window, at: window.position, of: nil, zones)
            case .calendar(let name, let position):
                guard let windows = calendars[name] else {
                    problems.append(TimeProblem(unknownCalendar: name, at: position))
                    continue
                }
                for window in windows { add(window, at: position, of: name, zones) }
            }
        }
    }

    /// Adds a window of the schedule itself or of a calendar.
    private mutating func add(_ window: Window, at position: Position, of calendar: Key?, _ zones: ZoneDatabase) {
        do throws(ZoneError) {
            slots.append(Slot(window: window, zone: try zones.zone(named: window.timeZone?.string)))
        } catch {
            problems.append(TimeProblem(unreadable: window.timeZone, error, ofCalendar: calendar, at: position))
        }
    }

    /// Whether any window is open, or may be.
    func isOpen(at time: Timestamp) -> Bool { !problems.isEmpty || isCertainlyOpen(at: time) }

    /// Whether a window is open whose zone and calendar are known.
    func isCertainlyOpen(at time: Timestamp) -> Bool {
        slots.contains { $0.window.isOpen(at: $0.zone.local(at: time)) }
    }

    /// The first later moment at which ``isOpen(at:)`` differs; `nil` if it never does.
    func nextChange(after start: Timestamp) -> Timestamp? { problems.isEmpty ? nextCertainChange(after: start) : nil }

    /// The first later moment at which ``isCertainlyOpen(at:)`` differs; `nil` if it never does.
    ///
    /// Between clock changes every week is the same, so one week is searched after each change. Clock changes by a
    /// zone's rule repeat every 400 years, which are a whole number of weeks.
    ///
    /// The work is bounded. For hundreds of windows in as many zones the answer may be an earlier moment, until which
    /// nothing changes; a caller that waits for it wakes up too early and never too late.
    func nextCertainChange(after start: Timestamp) -> Timestamp? {
        guard !slots.isEmpty else { return nil }
        let isOpen = isCertainlyOpen(at: start)
        guard let horizon = ResolvedSchedule.add(ResolvedSchedule.horizon, to: start) else { return nil }
        /// The sets of offsets under which nothing changed in a whole week.
        var constant: Set<[Int]> = []
        var stepsLeft = ResolvedSchedule.stepLimit
        var time = start
        while time < horizon {
            stepsLeft -= 2 * slots.count
            if stepsLeft <= 0, time > start { return time }
            let jump = slots.compactMap { $0.zone.nextTransition(after: time) }.min()
            let offsets = slots.map { $0.zone.local(at: time).offset }
            if !constant.contains(offsets) {
                let week = ResolvedSchedule.add(ResolvedSchedule.week, to: time) ?? horizon
                let end = jump.map { min($0, week) } ?? week
                if let change = firstChange(from: isOpen, after: time, until: end, &stepsLeft) { return change }
                if jump.map({ week <= $0 }) ?? true { constant.insert(offsets) }
            }
            guard let jump else { return nil }
            if isCertainlyOpen(at: jump) != isOpen { return jump }
            time = jump
        }
        return nil
    }

    /// The first moment at which ``isCertainlyOpen(at:)`` differs before the next clock change, or the moment at which the step
    /// limit was reached; `nil` if there is none up to the end, which is included.
    private func firstChange(
        from isOpen: Bool, after start: Timestamp, until end: Timestamp, _ stepsLeft: inout Int
    ) -> Timestamp? {
        // Windows open and close with whole seconds.
        var time = Timestamp(microseconds: start.microseconds - ResolvedSchedule.remainder(start.microseconds))
        while true {
            let steps = slots.map { $0.window.secondsToBoundary(after: $0.zone.local(at: time)) }
            guard let step = steps.min(), let next = ResolvedSchedule.add(Int64(step) * 1_000_000, to: time),
                next <= end
            else {
                return nil
            }
            stepsLeft -= 2 * slots.count
            if stepsLeft <= 0 || isCertainlyOpen(at: next) != isOpen { return next }
            time = next
        }
    }

    /// The most windows that one search checks: some milliseconds of work.
    private static let stepLimit = 100_000

    /// The part of a second, from 0 to 999,999 microseconds.
    private static func remainder(_ microseconds: Int64) -> Int64 {
        let rest = microseconds % 1_000_000
        return rest < 0 ? rest + 1_000_000 : rest
    }

    /// A week, in microseconds.
    private static let week: Int64 = 7 * 86_400 * 1_000_000
    /// The range of the search: 400 years, and the changes that zone files list before rules apply; in microseconds.
    private static let horizon: Int64 = 500 * 366 * 86_400 * 1_000_000

    /// A later moment; `nil` if a timestamp cannot represent it.
    private static func add(_ microseconds: Int64, to time: Timestamp) -> Timestamp? {
        let (sum, overflow) = time.microseconds.addingReportingOverflow(microseconds)
        return overflow ? nil : Timestamp(microseconds: sum)
    }
}

/// Whether the time of a target has come.
package struct TimeVerdict: Sendable {
    /// Whether the policy file applies at this moment, as far as time decides.
    package let isOpen: Bool
    /// Why not, without a full stop, with local times and their zone; `nil` if it is open.
    package let reason: String?
    /// The first later moment at which ``isOpen`` differs; `nil` if it never does.
    package let nextChange: Timestamp?
    /// Whether ``isOpen`` does not rest on an unknown time zone or calendar, so that waivers count.
    package let isCertain: Bool
    /// The first later moment at which ``isCertain`` differs while it is open; `nil` if it never does.
    package let nextCertainty: Timestamp?
    /// The unknown time zones and calendars.
    package let problems: [TimeProblem]

    package init(
        isOpen: Bool, reason: String? = nil, nextChange: Timestamp? = nil, isCertain: Bool = true,
        nextCertainty: Timestamp? = nil, problems: [TimeProblem] = []
    ) {
        self.isOpen = isOpen
        self.reason = reason
        self.nextChange = nextChange
        self.isCertain = isCertain
        self.nextCertainty = nextCertainty
        self.problems = problems
    }
}

extension Moment {
    /// A moment as local time of the machine, for messages: `Mon 2026-11-23 09:00 CET`; in UTC if its zone cannot be
    /// read.
    package func words(for other: Timestamp) -> String { TimeWords.moment(other, self) }
}
