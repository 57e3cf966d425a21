package import MDPlatform

/// A time as people say it: `09:30`, `Mon 11:00`, `2026-11-20`, `tomorrow 8:00`, `7d`, `now`, or a moment of RFC 3339.
package struct TimeExpression: Hashable, Sendable {
    /// Where a time lies that does not say it itself.
    package enum Direction: Sendable {
        /// In the past: the last 09:30, 7 days ago.
        case back
        /// In the future: the next 09:30, in 7 days.
        case ahead
    }

    /// Which moment of a day is meant that comes without a time of day.
    package enum Edge: Sendable {
        /// Its first moment.
        case start
        /// Its last moment.
        case end
    }

    private enum Day: Hashable {
        case date(Int)
        /// Days from today.
        case relative(Int)
        /// From Monday, 0, to Sunday, 6.
        case weekday(Int)
    }

    private enum Content: Hashable {
        case moment(Timestamp)
        /// Seconds from now.
        case distance(Int64)
        /// A day, the nearest one if none is said, and a second of it.
        case local(Day?, Int?)
    }

    private let content: Content

    /// Whether the text says the moment completely, in a zone that it names.
    package var isMoment: Bool {
        if case .moment = content { true } else { false }
    }

    /// The seconds of a duration such as `7d`; `nil` for all else, `now` included.
    package var duration: Int64? {
        if case .distance(let seconds) = content, seconds > 0 { seconds } else { nil }
    }

    /// Whether it is an hour, or a weekday's, that today has behind it, so that the next one is on another day.
    ///
    /// - Parameters:
    ///   - now: the present time.
    ///   - zone: the zone of the wall clock.
    /// - Returns: the answer; false for a moment, a date and a distance.
    package func isOverToday(at now: Timestamp, in zone: Zone) -> Bool {
        guard case .local(let day, _) = content else { return false }
        switch day {
        case .date, .relative: return false
        case .weekday, nil:
            let last = resolve(at: now, in: zone, .back)
            return last.map { zone.local(at: $0).day == zone.local(at: now).day } ?? false
        }
    }

    /// Parses a text; `nil` if it is not a time.
    package init?(_ text: String) {
        if let moment = Timestamp(rfc3339: text) {
            content = .moment(moment)
            return
        }
        guard text.utf8.count <= 40 else { return nil }
        let words = text.lowercased().utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        switch words.count {
        case 1:
            if words[0] == "now" {
                content = .distance(0)
            } else if let seconds = Self.seconds(words[0]) {
                content = .distance(seconds)
            } else if let second = Self.secondOfDay(words[0]) {
                content = .local(nil, second)
            } else if let day = Self.day(words[0]) {
                content = .local(day, nil)
            } else {
                return nil
            }
        case 2:
            guard let day = Self.day(words[0]), let second = Self.secondOfDay(words[1]) else { return nil }
            content = .local(day, second)
        default: return nil
        }
    }

    /// The moment that is meant.
    ///
    /// An hour that a change of the clock skips means as much later as the clock jumps; one that comes twice means the
    /// first.
    ///
    /// - Parameters:
    ///   - now: the present time.
    ///   - zone: the zone of the wall clock.
    ///   - direction: where the nearest hour, weekday or distance is looked for.
    ///   - edge: what a day without time of day means.
    /// - Returns: the moment; `nil` if it is outside of the years 0 to 9999.
    package func resolve(
        at now: Timestamp, in zone: Zone, _ direction: Direction, edge: Edge = .start
    ) -> Timestamp? {
        switch content {
        case .moment(let moment): return moment
        case .distance(let seconds):
            let (distance, isLarge) = seconds.multipliedReportingOverflow(by: 1_000_000)
            let (moment, isFar) = now.microseconds.addingReportingOverflow(direction == .ahead ? distance : -distance)
            return isLarge || isFar ? nil : Self.known(Timestamp(microseconds: moment))
        case .local(let day, let second):
            let today = zone.local(at: now).day
            func moment(_ day: Int) -> Timestamp? {
                guard second == nil, edge == .end else { return Self.moment(day, second ?? 0, zone) }
                return Self.moment(day + 1, 0, zone).map { Timestamp(microseconds: $0.microseconds - 1) }
            }
            switch day {
            case .date(let day): return moment(day)
            case .relative(let days): return moment(today + days)
            case .weekday, nil:
                // A week and a day each way holds the nearest one.
                let days = direction == .ahead ? Array(today...today + 8) : (today - 8...today).reversed()
                for day in days {
                    if case .weekday(let wanted) = self.day, LocalTime.weekday(ofDay: day) != wanted { continue }
                    guard let moment = moment(day) else { continue }
                    if direction == .ahead ? moment > now : moment <= now { return moment }
                    // The day that has begun is the nearest one of its name, although its end is to come.
                    if direction == .back, edge == .end, second == nil, day == today { return now }
                }
                return nil
            }
        }
    }

    private var day: Day? {
        if case .local(let day, _) = content { day } else { nil }
    }

    /// A moment that RFC 3339 can express; `nil` for another.
    private static func known(_ moment: Timestamp) -> Timestamp? {
        knownDays.contains(Int(Calendar.divide(moment.microseconds, 86_400_000_000).0)) ? moment : nil
    }

    /// The days that RFC 3339 can express in each zone.
    private static var knownDays: Range<Int> {
        Calendar.days(year: 0, month: 1, day: 2)..<Calendar.days(year: 9999, month: 12, day: 31)
    }

    /// The moment of a second of a local day.
    private static func moment(_ day: Int, _ secondOfDay: Int, _ zone: Zone) -> Timestamp? {
        // A day of the far future or past would overflow below.
        guard knownDays.contains(day) else { return nil }
        let wall = Int64(day) * 86_400 + Int64(secondOfDay)
        func moment(_ offset: Int) -> Timestamp { Timestamp(microseconds: (wall - Int64(offset)) * 1_000_000) }
        // The offsets in force well before and well after.
        let before = zone.local(at: moment(86_400)).offset
        let after = zone.local(at: moment(-86_400)).offset
        let found = [before, after].map(moment).filter { time in
            let local = zone.local(at: time)
            return local.day == day && local.secondOfDay == secondOfDay
        }
        return known(found.min() ?? moment(before))
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Parses `2026-11-20`, `today`, `tomorrow`, `yesterday`, or a weekday by its name or its first three letters.
    private static func day(_ word: String) -> Day? {
        switch word {
        case "today": return .relative(0)
        case "tomorrow": return .relative(1)
        case "yesterday": return .relative(-1)
        default: break
        }
        let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
        if let weekday = weekdays.firstIndex(where: { $0 == word || $0.utf8.prefix(3).elementsEqual(word.utf8) }) {
            return .weekday(weekday)
        }
        guard word.utf8.count == 10, let midnight = Timestamp(rfc3339: word + "T00:00:00Z") else { return nil }
        return .date(Int(Calendar.divide(midnight.microseconds, 86_400_000_000).0))
    }

    /// Parses `8:00`, `09:30` or `09:30:15`.
    private static func secondOfDay(_ word: String) -> Int? {
        let parts = word.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.allSatisfy(isDigit) ? Int(Substring($0)) : nil }
        guard (2...3).contains(parts.count), numbers.count == parts.count, (1...2).contains(parts[0].count),
            parts.dropFirst().allSatisfy({ $0.count == 2 }), numbers[0] < 24,
            numbers.dropFirst().allSatisfy({ $0 < 60 })
        else { return nil }
        return numbers[0] * 3_600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)
    }

    /// Parses weeks, days, hours, minutes and seconds, each at most once and in this order.
    private static func seconds(_ text: String) -> Int64? {
        var bytes = text.utf8[...]
        var total: Int64 = 0
        let units: [(letter: UInt8, seconds: Int64)] = [
            (UInt8(ascii: "w"), 604_800), (UInt8(ascii: "d"), 86_400), (UInt8(ascii: "h"), 3_600),
            (UInt8(ascii: "m"), 60), (UInt8(ascii: "s"), 1),
        ]
        guard !bytes.isEmpty else { return nil }
        for unit in units {
            let digits = bytes.prefix(while: isDigit)
            guard (1...9).contains(digits.count), bytes.dropFirst(digits.count).first == unit.letter else { continue }
            guard let number = Int64(String(Substring(digits))) else { return nil }
            total += number * unit.seconds
            bytes = bytes.dropFirst(digits.count + 1)
        }
        return bytes.isEmpty ? total : nil
    }
}
