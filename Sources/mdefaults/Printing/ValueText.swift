import Platform
import Policy
import PropertyList

/// How values are shown to people.
enum ValueText {
    /// The longest text that a line of a listing shows of a value, in characters.
    private static let bound = 200

    /// What stands for a value that is shown to nobody.
    static let sensitive = "(sensitive)"

    /// A value in one line, unless it is shown to nobody.
    static func line(_ value: Value, isSensitive: Bool) -> String {
        isSensitive ? sensitive : line(value)
    }

    /// A value in one line: JSON, which keeps texts, numbers and truth values apart; cut when very long.
    static func line(_ value: Value) -> String {
        let text = whole(value)
        return text.count > bound ? text.prefix(bound) + "…" : text
    }

    /// A value in one line, however long.
    static func whole(_ value: Value) -> String {
        var json = JSONWriter()
        json.value(value)
        return Printable.escape(json.text)
    }

    /// The value of an entry that holds in one line, and what is missing of it.
    static func entry(_ entry: ResolvedEntry, isSensitive: Bool) -> String {
        guard let shortfall = entry.shortfall else { return self.entry(entry.value, isSensitive: isSensitive) }
        let shown = entry.value.map { line($0, isSensitive: isSensitive) } ?? "no value"
        return "\(shown) (\(shortfall.words))"
    }

    /// The value of an entry in one line; an entry without one keeps its key absent.
    static func entry(_ value: Value?, isSensitive: Bool) -> String {
        value.map { line($0, isSensitive: isSensitive) } ?? "no value (absent)"
    }
}
