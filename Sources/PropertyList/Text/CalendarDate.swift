/// Turns seconds since 2001-01-01 00:00:00 UTC into civil dates and back.
///
/// The calendar is the proleptic Gregorian one without leap seconds, as everywhere in property lists. Years run from 0
/// to 9999: four digits are all that the text formats can hold. Foundation's `Date.distantPast` is in year 0.
package enum CalendarDate {
    /// Seconds of a day.
    private static let secondsPerDay = 86_400
    /// Days from 0001-01-01 to 2001-01-01.
    private static let daysToReference = 730_485
    /// Days of 400 years, after which the calendar repeats.
    private static let daysPerEra = 146_097
    /// Days of year 0, a leap year.
    private static let daysOfYearZero = 366
    /// The first second of year 0.
    private static let earliest = -Double((daysToReference + daysOfYearZero) * secondsPerDay)
    /// The first second of year 10000.
    private static let end = Double((25 * daysPerEra - daysToReference - 366) * secondsPerDay)

    /// The point in time of a civil date, in seconds since 2001.
    ///
    /// - Parameters:
    ///   - year: 0 to 9999.
    ///   - month: 1 to 12.
    ///   - day: 1 to the length of the month.
    ///   - hour: 0 to 23.
    ///   - minute: 0 to 59.
    ///   - second: 0 to 59; property lists have no leap seconds.
    /// - Returns: `nil` where a part is out of its range.
    package static func seconds(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) -> Double? {
        guard (0...9999).contains(year), (1...12).contains(month),
            (1...length(ofMonth: month, year: year)).contains(day),
            (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second)
        else { return nil }
        let past = year - 1
        let daysBeforeYear = year == 0 ? -daysOfYearZero : past * 365 + past / 4 - past / 100 + past / 400
        let days = daysBeforeYear + daysBefore(month: month, year: year) + day - 1 - daysToReference
        return Double(days * secondsPerDay + hour * 3600 + minute * 60 + second)
    }

    /// The civil date of a point in time; a fraction of a second is dropped towards the past, as CoreFoundation does.
    ///
    /// - Parameter seconds: seconds since 2001.
    /// - Returns: `nil` outside of the years 0 to 9999, and for NaN.
    package static func components(
        _ seconds: Double
    ) -> (year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int)? {
        guard seconds >= earliest, seconds < end else { return nil }
        // Counted from 400 years before year 1, so that no number is negative.
        let whole = Int(seconds.rounded(.down)) + (daysToReference + daysPerEra) * secondsPerDay
        let (days, time) = whole.quotientAndRemainder(dividingBy: secondsPerDay)

        // Peel off 400, 100, 4 and 1 years; the last year of 400 and of 4 is a day longer, hence the two bounds of 3.
        let (eras, dayOfEra) = days.quotientAndRemainder(dividingBy: daysPerEra)
        let centuries = min(dayOfEra / 36_524, 3)
        let dayOfCentury = dayOfEra - centuries * 36_524
        let (cycles, dayOfCycle) = dayOfCentury.quotientAndRemainder(dividingBy: 1_461)
        let years = min(dayOfCycle / 365, 3)
        let year = eras * 400 + centuries * 100 + cycles * 4 + years + 1 - 400

        var day = dayOfCycle - years * 365
        var month = 1
        while day >= length(ofMonth: month, year: year) {
            day -= length(ofMonth: month, year: year)
            month += 1
        }
        return (year, month, day + 1, time / 3600, time / 60 % 60, time % 60)
    }

    /// Whether a year has a 29th of February.
    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    /// The number of days of a month from 1 to 12.
    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The number of days of a year before the first of a month.
    private static func daysBefore(month: Int, year: Int) -> Int {
        (1..<month).reduce(0) { $0 + length(ofMonth: $1, year: year) }
    }
}
