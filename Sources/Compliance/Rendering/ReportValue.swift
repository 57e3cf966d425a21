import Platform
import Policy
package import PropertyList

/// How reports show values to people.
package enum ReportValue {
    /// The most characters of a value that a line shows; the JSON report has all of it.
    private static let bound = 160

    /// What stands for a value that is shown to nobody.
    package static let sensitive = "(sensitive)"

    /// What a key is forced to in one line: its value, and what nobody can tell of it.
    static func line(_ key: KeyCompliance) -> String {
        let value = line(key.entry.value, isSensitive: key.isSensitive)
        return key.entry.shortfall.map { "\(value), \($0.words)" } ?? value
    }

    /// A value in one line, unless it is shown to nobody; an absent entry has none to show.
    package static func line(_ value: Value?, isSensitive: Bool) -> String {
        isSensitive && value != nil ? sensitive : line(value)
    }

    /// A value in one line, cut where it is very long.
    ///
    /// JSON keeps texts, numbers and truth values apart; a date stands by itself, and an absent entry is `(no value)`.
    package static func line(_ value: Value?) -> String {
        guard let value else { return "(no value)" }
        if case .date(let seconds) = value, let text = CalendarDate.iso8601(seconds) { return text }
        var json = JSONWriter()
        json.value(value)
        let text = Printable.escape(json.text)
        return text.count > bound ? text.prefix(bound) + "…" : text
    }
}
