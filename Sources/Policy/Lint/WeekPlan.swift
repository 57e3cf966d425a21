import PropertyList

/// The seconds of a week, on one clock on the wall, in which a schedule is open.
struct WeekPlan: Hashable {
    /// The seconds of a week.
    private static let week = 7 * TimeOfDay.day

    /// Whose clock; `nil` is the machine's own.
    private let timeZone: Key?
    /// The stretches in ascending order; they neither overlap nor touch.
    private let stretches: [Range<Int>]

    /// Makes the plan of a schedule; `nil` where its windows have several zones, or a calendar is unknown.
    init?(_ schedule: [ScheduleItem], calendars: [Key: [Window]]) {
        var windows: [Window] = []
        for item in schedule {
            switch item {
            case .window(let window): windows.append(window)
            case .calendar(let name, _):
                guard let named = calendars[name] else { return nil }
                windows += named
            }
        }
        guard windows.allSatisfy({ $0.timeZone == windows.first?.timeZone }) else { return nil }
        timeZone = windows.first?.timeZone
        var open: [Range<Int>] = []
        for window in windows {
            for day in window.days {
                let start = day.rawValue * TimeOfDay.day
                let end = start + window.to + (window.isOvernight ? TimeOfDay.day : 0)
                open.append(start + window.from..<min(end, WeekPlan.week))
                // What runs over the week's end goes on at its start.
                if end > WeekPlan.week { open.append(0..<end - WeekPlan.week) }
            }
        }
        var merged: [Range<Int>] = []
        for stretch in open.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, stretch.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, stretch.upperBound)
            } else {
                merged.append(stretch)
            }
        }
        stretches = merged
    }

    /// Whether both may be open at one moment; false only where that is certain not to be.
    func mayOverlap(_ other: WeekPlan) -> Bool {
        guard timeZone == other.timeZone else { return !stretches.isEmpty && !other.stretches.isEmpty }
        return stretches.contains { one in other.stretches.contains { one.overlaps($0) } }
    }

    /// Whether this is certainly open whenever the other one is.
    func covers(_ other: WeekPlan) -> Bool {
        guard timeZone == other.timeZone else { return other.stretches.isEmpty }
        return other.stretches.allSatisfy { inner in
            stretches.contains { $0.lowerBound <= inner.lowerBound && inner.upperBound <= $0.upperBound }
        }
    }
}
