/// The rule after a zone's last transition: the text at the end of a TZif file (POSIX `TZ`, with the hours of RFC
/// 8536).
struct ZoneRule: Hashable, Sendable {
    /// A day of every year and a time on it.
    struct Moment: Hashable, Sendable {
        /// The day.
        let day: Day
        /// Seconds after its midnight, on the wall clock that holds before; negative, or more than a day, too.
        let seconds: Int
    }

    /// A day of every year.
    enum Day: Hashable, Sendable {
        /// From 1 to 365, 29 February never counted.
        case withoutLeapDay(Int)
        /// From 0 to 365, 29 February counted in leap years.
        case withLeapDay(Int)
        /// A weekday, from Sunday, 0, of a week from 1 to 5 of a month; the fifth is the last one.
        case month(Int, week: Int, weekday: Int)
    }

    /// Summer time: its type, when it begins and when it ends.
    struct Summer: Hashable, Sendable {
        /// The type.
        let type: ZoneType
        /// When it begins, on the wall clock of standard time.
        let start: Moment
        /// When it ends, on the wall clock of summer time.
        let end: Moment
    }

    /// Standard time.
    let standard: ZoneType
    /// Summer time, if the zone has any.
    let summer: Summer?

    /// The type of time at a second since 1970.
    func type(at second: Int64) -> ZoneType {
        guard let summer else { return standard }
        let isSummer = changes(around: second, summer).last { $0.second <= second }?.isSummer ?? false
        return isSummer ? summer.type : standard
    }

    /// The first second after another one from which on the wall clock shows something else; `nil` for none.
    func nextTransition(after second: Int64) -> Int64? {
        guard let summer else { return nil }
        let offset = type(at: second).offset
        let changes = changes(around: second, summer)
        for (change, next) in zip(changes, changes.dropFirst()) where change.second > second {
            // Of changes at one moment the last one counts: summer time all year ends when it begins.
            if next.second == change.second { continue }
            if (change.isSummer ? summer.type : standard).offset != offset { return change.second }
        }
        return nil
    }

    /// A change of the clocks.
    private struct Change {
        /// When, in seconds since 1970 UTC.
        let second: Int64
        /// Whether summer time begins.
        let isSummer: Bool
    }

    /// The changes of the years before, around and after a second, in order; at one moment the end comes first.
    private func changes(around second: Int64, _ summer: Summer) -> [Change] {
        let year = Calendar.date(ofDay: Int(Calendar.divide(second, 86_400).0)).year
        return (year - 2...year + 2).flatMap { year in
            [
                Change(second: summer.start.second(year: year, offset: standard.offset), isSummer: true),
                Change(second: summer.end.second(year: year, offset: summer.type.offset), isSummer: false),
            ]
        }.sorted { $0.second == $1.second ? !$0.isSummer && $1.isSummer : $0.second < $1.second }
    }
}

extension ZoneRule.Moment {
    /// The moment in a year, in seconds since 1970 UTC, on a wall clock that is ahead of UTC by an offset.
    func second(year: Int, offset: Int) -> Int64 {
        Int64(day.number(year: year) * 86_400 + seconds - offset)
    }
}

extension ZoneRule.Day {
    /// The day of a year, counted from 1970-01-01.
    func number(year: Int) -> Int {
        switch self {
        case .withoutLeapDay(let day):
            let isAfterFebruary = day >= 60 && Calendar.days(in: 2, of: year) == 29
            return Calendar.days(year: year, month: 1, day: 1) + day - 1 + (isAfterFebruary ? 1 : 0)
        case .withLeapDay(let day):
            return Calendar.days(year: year, month: 1, day: 1) + day
        case .month(let month, let week, let weekday):
            let first = Calendar.days(year: year, month: month, day: 1)
            // 1970-01-01 was a Thursday, 4 from Sunday on.
            let ahead = Calendar.divide(weekday - (first + 4), 7).1
            let day = ahead + 7 * (week - 1)
            return first + (day < Calendar.days(in: month, of: year) ? day : day - 7)
        }
    }
}

extension ZoneRule {
    /// Parses the text at the end of a TZif file: `CET-1CEST,M3.5.0,M10.5.0/3`.
    ///
    /// Nothing is filled in by default: summer time without its beginning and end is an error. `nil` for any error.
    init?(_ bytes: some Collection<UInt8>) {
        var scanner = ZoneRuleScanner(bytes)
        guard let name = scanner.name(), let offset = scanner.offset() else { return nil }
        standard = ZoneType(offset: -offset, abbreviation: name)
        if scanner.isAtEnd {
            summer = nil
            return
        }
        guard let summerName = scanner.name() else { return nil }
        // Without an offset of its own, summer time is an hour ahead of standard time.
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
    /// The index of the next byte to read.
    private var index = 0

    /// Creates a scanner at the start of a text.
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

    /// Whether a byte is allowed in a name.
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

    /// Reads hours, and minutes and seconds if present, with or without a sign.
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

    /// Reads a comma, a day and, if present, a time: `,M10.5.0/3`.
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
