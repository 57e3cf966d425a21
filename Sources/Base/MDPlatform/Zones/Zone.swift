/// A time zone: when its clocks show what.
package struct Zone: Sendable {
    /// Its IANA name, if known.
    package let name: String?
    /// The seconds since 1970 UTC at which its time changes, ascending.
    let transitions: [Int64]
    /// The type of time from each of them on, an index into `types`; as many as there are transitions.
    let following: [UInt8]
    /// The kinds of time that it has, never none; the first one holds before the first transition.
    let types: [ZoneType]
    /// The rule from the last transition on; `nil` if the last type stays.
    let rule: ZoneRule?

    /// Makes a zone.
    init(name: String?, transitions: [Int64], following: [UInt8], types: [ZoneType], rule: ZoneRule?) {
        self.name = name
        self.transitions = transitions
        self.following = following
        self.types = types
        self.rule = rule
    }

    /// Universal time.
    package static let utc = Zone(
        name: "UTC", transitions: [], following: [], types: [ZoneType(offset: 0, abbreviation: "UTC")], rule: nil)

    /// The local time at a moment.
    ///
    /// Complexity: O(log n) of the number of transitions.
    package func local(at time: Timestamp) -> LocalTime {
        let second = Zone.second(of: time)
        let type = type(at: second)
        return LocalTime(second: second, offset: type.offset, abbreviation: type.abbreviation)
    }

    /// The first moment after another one at which the wall clock jumps; `nil` if it never does again.
    package func nextTransition(after time: Timestamp) -> Timestamp? {
        let second = Zone.second(of: time)
        let offset = type(at: second).offset
        for index in transitions[firstIndex(after: second)...].indices {
            let transition = transitions[index]
            if type(at: transition).offset != offset { return Zone.timestamp(ofSecond: transition) }
        }
        guard let rule else { return nil }
        let start = max(second, transitions.last ?? second)
        return rule.nextTransition(after: start).flatMap(Zone.timestamp(ofSecond:))
    }

    /// The type of time at a second since 1970.
    private func type(at second: Int64) -> ZoneType {
        let index = firstIndex(after: second)
        if index == transitions.count, let rule { return rule.type(at: second) }
        return index == 0 ? types[0] : types[Int(following[index - 1])]
    }

    /// The index of the first transition after a second.
    private func firstIndex(after second: Int64) -> Int {
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= second { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The second in which a moment lies.
    private static func second(of time: Timestamp) -> Int64 {
        Calendar.divide(time.microseconds, 1_000_000).0
    }

    /// The moment at which a second begins; `nil` if a timestamp cannot represent it.
    private static func timestamp(ofSecond second: Int64) -> Timestamp? {
        let (microseconds, overflow) = second.multipliedReportingOverflow(by: 1_000_000)
        return overflow ? nil : Timestamp(microseconds: microseconds)
    }
}

/// A kind of local time that a zone has at times.
struct ZoneType: Hashable, Sendable {
    /// How many seconds the wall clock is ahead of UTC.
    let offset: Int
    /// The name that people use: `CET`.
    let abbreviation: String
}

/// The date and time of the wall clock in a zone.
package struct LocalTime: Hashable, Sendable {
    /// Days since 1970-01-01, by the local calendar.
    package let day: Int
    /// The second of the day, from 0 to 86,399.
    package let secondOfDay: Int
    /// How many seconds the wall clock is ahead of UTC.
    package let offset: Int
    /// The zone's name for its time then: `CET`, `CEST`.
    package let abbreviation: String

    /// Makes a local time of seconds since 1970 UTC.
    init(second: Int64, offset: Int, abbreviation: String) {
        let (day, secondOfDay) = Calendar.divide(Int(second) + offset, 86_400)
        self.day = day
        self.secondOfDay = secondOfDay
        self.offset = offset
        self.abbreviation = abbreviation
    }

    /// The day of the week, from Monday, 0, to Sunday, 6.
    package var weekday: Int { LocalTime.weekday(ofDay: day) }

    /// The day of the week of a day counted from 1970-01-01, which was a Thursday.
    package static func weekday(ofDay day: Int) -> Int { Calendar.divide(day + 3, 7).1 }

    /// The date: `2026-11-23`.
    package var date: String {
        let (year, month, day) = Calendar.date(ofDay: day)
        return "\(year)-\(LocalTime.twoDigits(month))-\(LocalTime.twoDigits(day))"
    }

    /// The time of day: `09:00`, with seconds only if they are not 0.
    package var timeOfDay: String { LocalTime.timeOfDay(secondOfDay) }

    /// A second of the day, 86,400 included, as a clock shows it.
    package static func timeOfDay(_ second: Int) -> String {
        let minutes = "\(twoDigits(second / 3_600)):\(twoDigits(second / 60 % 60))"
        return second % 60 == 0 ? minutes : "\(minutes):\(twoDigits(second % 60))"
    }

    /// Formats a number with at least two digits.
    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}

extension LocalTime {
    /// The names of the months as RFC 3164 has them.
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The time in the format of a syslog line (RFC 3164, section 4.1.2): `Nov  3 09:00:07`.
    package var syslog: String {
        let (_, month, day) = Calendar.date(ofDay: day)
        let name = LocalTime.months.indices.contains(month - 1) ? LocalTime.months[month - 1] : LocalTime.months[0]
        let time = [secondOfDay / 3_600, secondOfDay / 60 % 60, secondOfDay % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(name) \(day < 10 ? " " : "")\(day) \(time.joined(separator: ":"))"
    }
}
