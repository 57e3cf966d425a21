/// A moment: microseconds since 1970-01-01 00:00:00 UTC, leap seconds not counted.
package struct Timestamp: Hashable, Sendable {
    /// Microseconds since 1970 UTC; negative before.
    package let microseconds: Int64

    /// Makes a moment of microseconds since 1970 UTC.
    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The day, in whole days since 1970 UTC.
    package var day: Int64 { microseconds / 86_400_000_000 }
}

extension Timestamp: Comparable {
    /// Whether `left` is earlier than `right`.
    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }
}

extension Timestamp {
    /// The seconds from 1970 to 2001, the reference date of property lists.
    private static let secondsTo2001: Double = 978_307_200

    /// Makes a moment of seconds since 2001-01-01 UTC, as a date of a property list has them, rounded to microseconds;
    /// `nil` outside of the years 0000 to 9999.
    package init?(secondsSince2001 seconds: Double) {
        let microseconds = ((seconds + Timestamp.secondsTo2001) * 1_000_000).rounded()
        guard let exact = Int64(exactly: microseconds), Timestamp.range.contains(exact) else { return nil }
        self.init(microseconds: exact)
    }
}

extension Timestamp {
    /// The moments that RFC 3339 can write: the years 0000 to 9999, in microseconds since 1970 UTC.
    package static let range: ClosedRange<Int64> = -62_167_219_200_000_000...253_402_300_799_999_999

    /// Parses a time of RFC 3339: `2026-11-20T08:00:00Z`, with any number of decimals and any offset.
    ///
    /// Decimals beyond the sixth are cut off. A leap second (`:60`) counts as the second after it, and is accepted only
    /// at the end of an UTC hour. `nil` for anything else, and for times outside the years 0000 to 9999 in UTC.
    package init?(rfc3339 text: String) {
        var scanner = Scanner(bytes: Array(text.utf8))
        guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2), scanner.skip("-"),
            let day = scanner.number(2), scanner.skip("T") || scanner.skip("t"),
            let hour = scanner.number(2), scanner.skip(":"), let minute = scanner.number(2), scanner.skip(":"),
            let second = scanner.number(2), let fraction = scanner.fraction(), let offset = scanner.offset(),
            scanner.isAtEnd, (1...12).contains(month), day >= 1, day <= Calendar.days(in: month, of: year),
            hour <= 23, minute <= 59, second <= 60
        else { return nil }
        let minutes = Calendar.days(year: year, month: month, day: day) * 1_440 + hour * 60 + minute - offset
        if second == 60, minutes % 60 != 59 && minutes % 60 != -1 { return nil }
        let microseconds = Int64(minutes * 60 + second) * 1_000_000 + Int64(fraction)
        guard Timestamp.range.contains(microseconds) else { return nil }
        self.init(microseconds: microseconds)
    }

    /// The time in RFC 3339, in UTC with six decimals; clamped to the years 0000 to 9999.
    package var rfc3339: String {
        let clamped = min(max(microseconds, Timestamp.range.lowerBound), Timestamp.range.upperBound)
        let (seconds, fraction) = Calendar.divide(clamped, 1_000_000)
        let (days, rest) = Calendar.divide(seconds, 86_400)
        let (year, month, day) = Calendar.date(ofDay: Int(days))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(27)
        /// Appends a number with leading zeros.
        func append(_ value: Int, _ digits: Int, _ after: UInt8) {
            var divisor = 1
            for _ in 1..<digits { divisor *= 10 }
            while divisor > 0 {
                bytes.append(0x30 + UInt8(value / divisor % 10))
                divisor /= 10
            }
            bytes.append(after)
        }
        append(year, 4, 0x2d)
        append(month, 2, 0x2d)
        append(day, 2, 0x54)
        append(Int(rest) / 3_600, 2, 0x3a)
        append(Int(rest) / 60 % 60, 2, 0x3a)
        append(Int(rest) % 60, 2, 0x2e)
        append(Int(fraction), 6, 0x5a)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Timestamp: CustomStringConvertible {
    /// The time in RFC 3339, in UTC with six decimals.
    package var description: String { rfc3339 }
}

/// Reads the pieces of a time one after the other.
private struct Scanner {
    /// The text.
    let bytes: [UInt8]
    /// The index of the next byte to read.
    var index = 0

    /// Creates a scanner at the start of a text.
    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether all is read.
    var isAtEnd: Bool { index == bytes.count }

    /// Passes over one character, if it is there.
    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, UInt32(bytes[index]) == character.value else { return false }
        index += 1
        return true
    }

    /// Reads exactly so many digits.
    mutating func number(_ digits: Int) -> Int? {
        guard index + digits <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[index..<(index + digits)] {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        index += digits
        return value
    }

    /// Reads decimals as microseconds; 0 if there is no point, `nil` if no digit follows it.
    mutating func fraction() -> Int? {
        guard skip(".") else { return 0 }
        var (value, digits) = (0, 0)
        while let digit = number(1) {
            if digits < 6 { value = value * 10 + digit }
            digits += 1
        }
        if digits == 0 { return nil }
        for _ in min(digits, 6)..<6 { value *= 10 }
        return value
    }

    /// Reads `Z` or `+hh:mm`, in minutes east of UTC.
    mutating func offset() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let sign = skip("+") ? 1 : skip("-") ? -1 : 0
        guard sign != 0, let hours = number(2), skip(":"), let minutes = number(2), hours <= 23, minutes <= 59 else {
            return nil
        }
        return sign * (hours * 60 + minutes)
    }
}

/// The proleptic Gregorian calendar, for years from 0 to 9999.
package enum Calendar {
    /// Days from 1970-01-01 to a date.
    package static func days(year: Int, month: Int, day: Int) -> Int {
        // Years that begin in March put the leap day last, so that a month's start does not depend on it.
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = divide(shifted, 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The date of a day counted from 1970-01-01.
    static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = divide(day + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    /// How many days a month has.
    static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Divides towards negative infinity; the divisor is positive.
    package static func divide<Number: SignedInteger>(_ value: Number, _ divisor: Number) -> (Number, Number) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
