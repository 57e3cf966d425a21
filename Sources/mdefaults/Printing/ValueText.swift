import Platform
import PropertyList

/// How values are shown to people.
enum ValueText {
    /// The longest text that a line of a listing shows of a value, in characters.
    private static let bound = 200

    /// A value in one line: JSON, which keeps texts, numbers and truth values apart; cut when very long.
    static func line(_ value: Value) -> String {
        var json = JSONWriter()
        json.value(value)
        let text = json.text
        return text.count > bound ? text.prefix(bound) + "…" : text
    }
}
