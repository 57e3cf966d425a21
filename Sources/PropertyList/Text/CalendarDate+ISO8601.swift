extension CalendarDate {
    /// The point in time as `2026-11-20T08:00:00Z`, whole seconds, or `nil` outside of the years 0 to 9999.
    package static func iso8601(_ seconds: Double) -> String? {
        text(seconds, between: "T", after: "Z")
    }

    /// The point in time as `2026-11-20 08:00:00 +0000`, as OpenStep text has it, or `nil` outside of the years 0 to
    /// 9999.
    package static func openStep(_ seconds: Double) -> String? {
        text(seconds, between: " ", after: " +0000")
    }

    /// Reads `YYYY-MM-DDThh:mm:ssZ`, exactly.
    ///
    /// - Returns: seconds since 2001, or `nil` where the text has another form or names no existing second.
    package static func parse(iso8601 text: some Collection<UInt8>) -> Double? {
        var scanner = DigitScanner(text)
        guard let year = scanner.number(digits: 4), scanner.take("-"),
            let month = scanner.number(digits: 2), scanner.take("-"),
            let day = scanner.number(digits: 2), scanner.take("T"),
            let hour = scanner.number(digits: 2), scanner.take(":"),
            let minute = scanner.number(digits: 2), scanner.take(":"),
            let second = scanner.number(digits: 2), scanner.take("Z"), scanner.isAtEnd
        else { return nil }
        return seconds(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    /// Reads `YYYY-MM-DD hh:mm:ss ±hhmm`, exactly, as GNUstep writes dates.
    ///
    /// - Returns: seconds since 2001, or `nil` where the text has another form or names no existing second.
    package static func parse(openStep text: some Collection<UInt8>) -> Double? {
        var scanner = DigitScanner(text)
        guard let year = scanner.number(digits: 4), scanner.take("-"),
            let month = scanner.number(digits: 2), scanner.take("-"),
            let day = scanner.number(digits: 2), scanner.take(" "),
            let hour = scanner.number(digits: 2), scanner.take(":"),
            let minute = scanner.number(digits: 2), scanner.take(":"),
            let second = scanner.number(digits: 2), scanner.take(" ")
        else { return nil }
        let isWest = scanner.take("-")
        guard isWest || scanner.take("+"),
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

    /// A number from 0 up with leading zeros.
    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// Takes digits and separators off the front of bytes.
private struct DigitScanner<Bytes: Collection<UInt8>> {
    /// What is left.
    private var rest: Bytes.SubSequence

    /// Makes a scanner of all of some bytes.
    init(_ bytes: Bytes) {
        rest = bytes[...]
    }

    /// Whether nothing is left.
    var isAtEnd: Bool { rest.isEmpty }

    /// Takes a fixed number of ASCII digits, or gives `nil`.
    mutating func number(digits: Int) -> Int? {
        var result = 0
        for _ in 0..<digits {
            guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            result = result * 10 + Int(byte - UInt8(ascii: "0"))
            rest = rest.dropFirst()
        }
        return result
    }

    /// Takes one ASCII character, and says whether it was there.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let byte = rest.first, byte == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }
}
