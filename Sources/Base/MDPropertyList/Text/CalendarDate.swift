/// Converts seconds since 2001-01-01 00:00:00 UTC into civil dates and back.
///
/// The calendar is the proleptic Gregorian one without leap seconds, as in all property lists. Years run from 0 to
/// 9999, because the text formats have four digits. Foundation's `Date.distantPast` is in year 0.
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
    /// - Returns: `nil` if a part is out of its range.
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

    /// The civil date of a point in time; a fraction of a second is rounded down, as in CoreFoundation.
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

extension CalendarDate {
    /// The point in time as `2026-11-20T08:00:00Z`, whole seconds, or `nil` outside of the years 0 to 9999.
    package static func iso8601(_ seconds: Double) -> String? {
        text(seconds, between: "T", after: "Z")
    }

    /// The point in time as `2026-11-20 08:00:00 +0000`, in OpenStep text, or `nil` outside of the years 0 to 9999.
    package static func openStep(_ seconds: Double) -> String? {
        text(seconds, between: " ", after: " +0000")
    }

    /// Reads `YYYY-MM-DDThh:mm:ssZ`, exactly.
    ///
    /// - Returns: seconds since 2001, or `nil` if the text has another form or the second does not exist.
    package static func parse(iso8601 text: some Collection<UInt8>) -> Double? {
        var scanner = DigitScanner(text)
        guard let year = scanner.number(digits: 4), scanner.skip("-"),
            let month = scanner.number(digits: 2), scanner.skip("-"),
            let day = scanner.number(digits: 2), scanner.skip("T"),
            let hour = scanner.number(digits: 2), scanner.skip(":"),
            let minute = scanner.number(digits: 2), scanner.skip(":"),
            let second = scanner.number(digits: 2), scanner.skip("Z"), scanner.isAtEnd
        else { return nil }
        return seconds(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    /// Reads `YYYY-MM-DD hh:mm:ss ±hhmm`, exactly, as GNUstep writes dates.
    ///
    /// - Returns: seconds since 2001, or `nil` if the text has another form or the second does not exist.
    package static func parse(openStep text: some Collection<UInt8>) -> Double? {
        var scanner = DigitScanner(text)
        guard let year = scanner.number(digits: 4), scanner.skip("-"),
            let month = scanner.number(digits: 2), scanner.skip("-"),
            let day = scanner.number(digits: 2), scanner.skip(" "),
            let hour = scanner.number(digits: 2), scanner.skip(":"),
            let minute = scanner.number(digits: 2), scanner.skip(":"),
            let second = scanner.number(digits: 2), scanner.skip(" ")
        else { return nil }
        let isWest = scanner.skip("-")
        guard isWest || scanner.skip("+"),
            let zoneHours = scanner.number(digits: 2), let zoneMinutes = scanner.number(digits: 2), scanner.isAtEnd,
            zoneHours < 24, zoneMinutes < 60,
            let local = seconds(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        let offset = Double(zoneHours * 3600 + zoneMinutes * 60)
        return isWest ? local + offset : local - offset
    }

    /// The civil date with two separators, in UTC.
    private static func text(_ seconds: Double, between: String, after: String) -> String? {
        guard let (year, month, day, hour, minute, second) = components(seconds) else { return nil }
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        return "\(date)\(between)\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))\(after)"
    }

    /// A nonnegative number with leading zeros.
    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// Reads digits and separators from the front of bytes.
private struct DigitScanner<Bytes: Collection<UInt8>> {
    /// What is left.
    private var rest: Bytes.SubSequence

    init(_ bytes: Bytes) {
        rest = bytes[...]
    }

    /// Whether nothing is left.
    var isAtEnd: Bool { rest.isEmpty }

    /// Reads a fixed number of ASCII digits; `nil` if there are fewer.
    mutating func number(digits: Int) -> Int? {
        var result = 0
        for _ in 0..<digits {
            guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            result = result * 10 + Int(byte - UInt8(ascii: "0"))
            rest = rest.dropFirst()
        }
        return result
    }

    /// Skips an ASCII character; `false` if it does not come next.
    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let byte = rest.first, byte == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }
}
