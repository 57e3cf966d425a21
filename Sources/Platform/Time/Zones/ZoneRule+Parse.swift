extension ZoneRule {
    /// Reads the text at the end of a TZif file: `CET-1CEST,M3.5.0,M10.5.0/3`.
    ///
    /// Written out rather than defaulted: summer time without its beginning and end is a mistake. `nil` for any mistake.
    init?(_ bytes: some Collection<UInt8>) {
        var scanner = ZoneRuleScanner(bytes)
        guard let name = scanner.name(), let offset = scanner.offset() else { return nil }
        standard = ZoneType(offset: -offset, abbreviation: name)
        if scanner.isAtEnd {
            summer = nil
            return
        }
        guard let summerName = scanner.name() else { return nil }
        // Where nothing else is said, the clock goes forward by an hour.
        var summerOffset = standard.offset + 3_600
        if !scanner.isAtComma {
            guard let offset = scanner.offset() else { return nil }
            summerOffset = -offset
        }
        guard let start = scanner.moment(), let end = scanner.moment(), scanner.isAtEnd else { return nil }
        summer = Summer(type: ZoneType(offset: summerOffset, abbreviation: summerName), start: start, end: end)
    }
}

/// Reads the pieces of a rule one after the other.
private struct ZoneRuleScanner {
    /// The text.
    private let bytes: [UInt8]
    /// Where the next piece begins.
    private var index = 0

    /// Takes over a text.
    init(_ bytes: some Collection<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// Whether all is read.
    var isAtEnd: Bool { index == bytes.count }

    /// Whether a comma comes next.
    var isAtComma: Bool { !isAtEnd && bytes[index] == UInt8(ascii: ",") }

    /// Passes over one character, if it is there.
    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard !isAtEnd, UInt32(bytes[index]) == character.value else { return false }
        index += 1
        return true
    }

    /// Reads a name of three letters or more, or of letters, digits and signs between `<` and `>`.
    mutating func name() -> String? {
        let isQuoted = skip("<")
        let start = index
        while !isAtEnd, ZoneRuleScanner.isOfName(bytes[index], isQuoted) { index += 1 }
        let name = bytes[start..<index]
        if isQuoted, !skip(">") { return nil }
        return (3...32).contains(name.count) ? String(decoding: name, as: UTF8.self) : nil
    }

    /// Whether a byte may stand in a name.
    private static func isOfName(_ byte: UInt8, _ isQuoted: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"): isQuoted
        default: false
        }
    }

    /// Reads an offset west of UTC, of at most a day: `-1`, `+03:30`; in seconds.
    mutating func offset() -> Int? {
        guard let seconds = time(), abs(seconds) <= 24 * 3_600 + 3_599 else { return nil }
        return seconds
    }

    /// Reads hours, and minutes and seconds where they are given, with a sign before them or not.
    private mutating func time() -> Int? {
        let sign = skip("-") ? -1 : 1
        if sign == 1 { _ = skip("+") }
        guard let hours = number(167, digits: 3) else { return nil }
        var seconds = hours * 3_600
        if skip(":") {
            guard let minutes = number(59, digits: 2) else { return nil }
            seconds += minutes * 60
            if skip(":") {
                guard let rest = number(59, digits: 2) else { return nil }
                seconds += rest
            }
        }
        return sign * seconds
    }

    /// Reads a comma, a day and, where it is given, a time: `,M10.5.0/3`.
    mutating func moment() -> ZoneRule.Moment? {
        guard skip(","), let day = day() else { return nil }
        guard skip("/") else { return ZoneRule.Moment(day: day, seconds: 2 * 3_600) }
        return time().map { ZoneRule.Moment(day: day, seconds: $0) }
    }

    /// Reads a day: `J60`, `59`, `M10.5.0`.
    private mutating func day() -> ZoneRule.Day? {
        if skip("J") {
            return number(365, digits: 3).flatMap { $0 > 0 ? .withoutLeapDay($0) : nil }
        }
        guard skip("M") else { return number(365, digits: 3).map(ZoneRule.Day.withLeapDay) }
        guard let month = number(12, digits: 2), month > 0, skip("."), let week = number(5, digits: 1), week > 0,
            skip("."), let weekday = number(6, digits: 1)
        else { return nil }
        return .month(month, week: week, weekday: weekday)
    }

    /// Reads a number of so many digits at most that is not greater than a limit.
    private mutating func number(_ limit: Int, digits: Int) -> Int? {
        let start = index
        var value = 0
        while !isAtEnd, index - start < digits, (0x30...0x39).contains(bytes[index]) {
            value = value * 10 + Int(bytes[index] - 0x30)
            index += 1
        }
        return index > start && value <= limit ? value : nil
    }
}
