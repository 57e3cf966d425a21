/// What holds after a zone's last transition: the text at the end of a TZif file (POSIX `TZ`, with the hours of RFC 8536).
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
        /// From 0 to 365, 29 February counted where there is one.
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
    /// Summer time, where there is any.
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
    /// When it is in a year, in seconds since 1970 UTC, where the wall clock is ahead of UTC by an offset.
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
