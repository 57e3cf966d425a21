import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

/// The weekly times of a schedule in one time zone, prepared for comparison.
struct WeeklySchedule: Hashable {
    private static let week = 7 * TimeOfDay.day

    /// The time zone; `nil` for the machine's own.
    private let timeZone: Key?
    /// The open ranges, in seconds of the week, ascending; they neither overlap nor touch.
    private let ranges: [Range<Int>]

    /// Makes the weekly times of a schedule; `nil` if its windows have several zones, or a calendar is unknown.
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
                open.append(start + window.from..<min(end, WeeklySchedule.week))
                // A range that crosses the end of the week continues at its start.
                if end > WeeklySchedule.week { open.append(0..<end - WeeklySchedule.week) }
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
        ranges = merged
    }

    /// Whether both may be open at one moment; false only if that is impossible.
    func mayOverlap(_ other: WeeklySchedule) -> Bool {
        guard timeZone == other.timeZone else { return !ranges.isEmpty && !other.ranges.isEmpty }
        return ranges.contains { one in other.ranges.contains { one.overlaps($0) } }
    }

    func covers(_ other: WeeklySchedule) -> Bool {
        guard timeZone == other.timeZone else { return other.ranges.isEmpty }
        return other.ranges.allSatisfy { inner in
            ranges.contains { $0.lowerBound <= inner.lowerBound && inner.upperBound <= $0.upperBound }
        }
    }
}
