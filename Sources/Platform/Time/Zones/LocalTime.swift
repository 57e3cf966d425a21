/// What the clock on a wall shows.
package struct LocalTime: Hashable, Sendable {
    /// Days since 1970-01-01, by the local calendar.
    package let day: Int
    /// The second of the day, from 0 to 86,399.
    package let secondOfDay: Int
    /// How many seconds the wall clock is ahead of UTC.
    package let offset: Int
    /// What the zone calls its time then: `CET`, `CEST`.
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

    /// The time of day: `09:00`, with seconds only where there are any.
    package var timeOfDay: String { LocalTime.timeOfDay(secondOfDay) }

    /// A second of the day, 86,400 included, as a clock shows it.
    package static func timeOfDay(_ second: Int) -> String {
        let minutes = "\(twoDigits(second / 3_600)):\(twoDigits(second / 60 % 60))"
        return second % 60 == 0 ? minutes : "\(minutes):\(twoDigits(second % 60))"
    }

    /// A number with a zero before it where it has one digit.
    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
