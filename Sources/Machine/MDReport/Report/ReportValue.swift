import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPropertyList

/// Formats values in reports for people.
enum ReportValue {
    /// The most characters of a value in a line; the JSON report has all of it.
    private static let bound = 160

    /// The text in place of a sensitive value.
    static let sensitive = "(sensitive)"

    /// The forced value of a key in one line, with what is unknown about it.
    static func line(_ key: KeyCompliance) -> String {
        let value = line(key.entry.value, isSensitive: key.isSensitive)
        return key.entry.shortfall.map { "\(value), \($0.words)" } ?? value
    }

    /// A value in one line, unless it is sensitive; an absent entry has no value to hide.
    static func line(_ value: Value?, isSensitive: Bool) -> String {
        isSensitive && value != nil ? sensitive : line(value)
    }

    /// A whole value as JSON in one line, unless it is sensitive.
    static func whole(_ value: Value?, isSensitive: Bool) -> String {
        guard let value else { return "(no value)" }
        if isSensitive { return sensitive }
        if case .date(let seconds) = value, let text = CalendarDate.iso8601(seconds) { return text }
        var json = JSONWriter()
        json.value(value)
        return Printable.escape(json.text)
    }

    /// A value in one line, cut if it is very long.
    ///
    /// The line is JSON, which shows the type of a value; dates are without quotes, and an absent entry is `(no value)`.
    static func line(_ value: Value?) -> String {
        let text = whole(value, isSensitive: false)
        return text.count > bound ? text.prefix(bound) + "…" : text
    }
}
