import MDPlatform
import MDPolicyModel
import MDPropertyList

extension PolicyParser {
    /// The most windows of one schedule or calendar: four an hour, all week, are 672.
    static let windowLimit = 1_000

    /// Parses a point in time: a string of RFC 3339, or a date.
    mutating func timestamp(_ node: Node, _ name: String) -> Timestamp? {
        switch node.content {
        case .scalar(.string(let text)):
            if let time = Timestamp(rfc3339: text) { return time }
            report(
                .invalidValue, at: node.offset,
                "\(name) must be a time as in \"2026-11-23T08:00:00Z\", with its offset from UTC, not"
                    + " \"\(Printable.escape(text))\"")
        case .scalar(.date(let seconds)):
            if let time = Timestamp(secondsSince2001: seconds) { return time }
            report(.invalidValue, at: node.offset, "\(name) is not between the years 0 and 9999")
        default: reportType(node, name, expected: "a string or a date")
        }
        return nil
    }

    /// Parses `Target.Schedule`: a window, the name of a calendar, or several of them.
    mutating func parseSchedule(_ node: Node) -> [ScheduleItem] {
        let place = "Target.Schedule"
        guard let elements = node.elements else { return scheduleItem(node, place).map { [$0] } ?? [] }
        if elements.isEmpty {
            report(
                .emptyClause, at: node.offset, "\(place) is empty, so the file never applies", severity: .warning)
        }
        return bounded(elements, node, place).compactMap { scheduleItem($0, "an item of \(place)") }
    }

    /// Parses `Calendars`: names and their windows.
    mutating func parseCalendars(_ node: Node) {
        guard let entries = node.entries else {
            return reportType(node, "Calendars", expected: "a dictionary of calendars")
        }
        for entry in entries {
            let name = Printable.escape(entry.key.string)
            if let error = PolicyName.calendarError(entry.key.string) {
                report(.invalidValue, at: entry.keyOffset, "the name \"\(name)\" of a calendar \(error)")
            }
            let place = "Calendars.\(name)"
            guard let elements = entry.value.elements else {
                reportType(entry.value, place, expected: "an array of windows")
                continue
            }
            if elements.isEmpty {
                report(
                    .emptyClause, at: entry.value.offset, "\(place) is empty, so it is never open", severity: .warning)
            }
            let position = cursor.position(of: entry.keyOffset)
            let windows = bounded(elements, entry.value, place).compactMap { window($0, "a window of \(place)") }
            calendars.append(NamedCalendar(name: entry.key, windows: windows, position: position))
        }
    }

    /// The elements of a list of windows; none if there are too many.
    private mutating func bounded(_ elements: [Node], _ node: Node, _ place: String) -> [Node] {
        guard elements.count > PolicyParser.windowLimit else { return elements }
        report(
            .invalidValue, at: node.offset,
            "\(place) has \(elements.count) windows; there are at most \(PolicyParser.windowLimit)")
        return []
    }

    /// Parses one item of a schedule.
    private mutating func scheduleItem(_ node: Node, _ name: String) -> ScheduleItem? {
        guard case .scalar(.string(let text)) = node.content else {
            guard node.entries != nil else {
                reportType(node, name, expected: "a window or the name of a calendar")
                return nil
            }
            return window(node, name).map { .window($0) }
        }
        if let error = PolicyName.calendarError(text) {
            report(.invalidValue, at: node.offset, "the name \"\(Printable.escape(text))\" of a calendar \(error)")
            return nil
        }
        return .calendar(Key(text), position: cursor.position(of: node.offset))
    }

    /// Parses a window.
    private mutating func window(_ node: Node, _ name: String) -> Window? {
        guard let fields = node.entries else {
            reportType(node, name, expected: "a dictionary with Days, From, To and TimeZone")
            return nil
        }
        let position = cursor.position(of: node.offset)
        var days: Set<Weekday>? = Set(Weekday.allCases)
        var from: Int? = 0
        var to: Int? = TimeOfDay.day
        var timeZone: Key?
        for entry in fields {
            switch WindowField(rawValue: entry.key.string) {
            case .days: days = weekdays(entry.value)
            case .from: from = second(entry.value, "From", through: TimeOfDay.day - 1, words: "00:00 to 23:59")
            case .to: to = second(entry.value, "To", through: TimeOfDay.day, words: "00:00 to 24:00")
            case .timeZone: timeZone = zone(entry.value, ofWindow: node.offset)
            case nil: reportUnknown(entry, among: fields, in: "a window", known: WindowField.names)
            }
        }
        let isEmpty = from != nil && from == to
        if isEmpty {
            report(
                .invalidValue, at: node.offset,
                "From and To of a window are the same time; a whole day is written without them, or to 24:00")
        }
        guard let days, let from, let to, !isEmpty else { return nil }
        // Midnight ends the day on which the window begins.
        return Window(days: days, from: from, to: to == 0 ? TimeOfDay.day : to, timeZone: timeZone, position: position)
    }

    /// Parses `Days`.
    private mutating func weekdays(_ node: Node) -> Set<Weekday>? {
        guard let elements = node.elements else {
            reportType(node, "Days", expected: "an array of strings")
            offerList(node)
            return nil
        }
        if elements.isEmpty {
            report(.invalidValue, at: node.offset, "Days is empty; without Days, a window is open every day")
            return nil
        }
        var days: Set<Weekday> = []
        for (text, offset) in strings(elements, "Days") {
            if let day = Weekday.allCases.first(where: { Key($0.word) == Key(text) }) {
                days.insert(day)
                continue
            }
            let named = PolicyParser.weekday(named: text)
            let several = PolicyParser.namesSeveralDays(text) ? "; each day is written by itself" : ""
            report(
                .invalidValue, at: offset,
                "a day is Mon, Tue, Wed, Thu, Fri, Sat or Sun, not \"\(Printable.escape(text))\""
                    + (named.map { "; \($0.word) is probably meant" } ?? several))
            if let named { offer(.invalidValue, at: offset, replacing: text, by: named.word) }
        }
        return days.isEmpty ? nil : days
    }

    /// The day of an English name, complete or in a usual short form; `nil` for anything else, such as several days.
    private static func weekday(named text: String) -> Weekday? {
        let names: [(Weekday, [String])] = [
            (.sunday, ["sun", "sunday"]), (.monday, ["mon", "monday"]), (.tuesday, ["tue", "tues", "tuesday"]),
            (.wednesday, ["wed", "weds", "wednesday"]), (.thursday, ["thu", "thur", "thurs", "thursday"]),
            (.friday, ["fri", "friday"]), (.saturday, ["sat", "saturday"]),
        ]
        let name = text.lowercased()
        return names.first { $0.1.contains(name) }?.0
    }

    /// Whether a text begins with a day and continues with something that is not a letter: `Mon-Fri`, `Sat/Sun`.
    private static func namesSeveralDays(_ text: String) -> Bool {
        let letters = text.utf8.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(ByteSet.lowercase($0)) }
        return letters.count < text.utf8.count && weekday(named: String(Substring(letters))) != nil
    }

    /// Parses `From` or `To`.
    private mutating func second(_ node: Node, _ name: String, through last: Int, words: String) -> Int? {
        guard let text = string(node, name) else { return nil }
        if let second = TimeOfDay.second(text), second <= last { return second }
        report(
            .invalidValue, at: node.offset,
            "\(name) must be a time of day from \(words), with or without seconds, not"
                + " \"\(Printable.escape(text))\"")
        return nil
    }

    /// Parses `TimeZone` of the window at an offset.
    private mutating func zone(_ node: Node, ofWindow offset: Int) -> Key? {
        guard let text = string(node, "TimeZone") else { return nil }
        if let error = PolicyName.zoneError(text) {
            report(.invalidValue, at: node.offset, "the TimeZone \"\(Printable.escape(text))\" \(error)")
        } else {
            zones?.append((Key(text), offset))
        }
        return Key(text)
    }
}

/// Parses and prints the times of windows.
package enum TimeOfDay {
    /// The seconds of a day.
    package static let day = 86_400

    /// The second of the day for `HH:MM` or `HH:MM:SS`, up to `24:00`; `nil` for anything else.
    package static func second(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5 || bytes.count == 8 else { return nil }
        var numbers: [Int] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            guard let tens = digit(bytes[start]), let ones = digit(bytes[start + 1]) else { return nil }
            if start > 0, bytes[start - 1] != UInt8(ascii: ":") { return nil }
            numbers.append(tens * 10 + ones)
        }
        let seconds = numbers[0] * 3_600 + numbers[1] * 60 + (numbers.count > 2 ? numbers[2] : 0)
        guard numbers.dropFirst().allSatisfy({ $0 < 60 }), seconds <= day else { return nil }
        return seconds
    }

    /// A second of the day as `HH:MM`, or `HH:MM:SS` if it is not the first of its minute.
    package static func text(_ second: Int) -> String {
        /// Two digits.
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let minutes = "\(digits(second / 3_600)):\(digits(second / 60 % 60))"
        return second % 60 == 0 ? minutes : "\(minutes):\(digits(second % 60))"
    }

    /// The number of a digit.
    private static func digit(_ byte: UInt8) -> Int? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int(byte - UInt8(ascii: "0")) : nil
    }
}

/// The fields of a window of a schedule or calendar.
enum WindowField: String, CaseIterable {
    /// The days on which it begins.
    case days = "Days"
    /// The time at which it opens.
    case from = "From"
    /// The time at which it closes.
    case to = "To"
    /// The time zone of its times.
    case timeZone = "TimeZone"

    /// The names of all fields, for suggestions.
    static let names: [String] = allCases.map(\.rawValue)
}
