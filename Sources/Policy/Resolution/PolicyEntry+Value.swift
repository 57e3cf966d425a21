import PropertyList

extension PolicyEntry {
    /// The value for a subject, variables expanded in strings and never in keys; `nil` for an absent entry.
    ///
    /// Complexity: O(n) of the value's size.
    func value(for subject: Subject) -> Value? {
        guard let value = value?.value else { return nil }
        return hasVariables ? PolicyEntry.expand(value, for: subject) : value
    }

    /// Expands the strings of a value, however deep they stand.
    private static func expand(_ value: Value, for subject: Subject) -> Value {
        switch value {
        case .string(let text):
            // A file with a mistake in a template does not load, so what does not parse here was never in force.
            (try? Template(text)).map { .string($0.expanded(for: subject)) } ?? value
        case .array(let elements): .array(elements.map { expand($0, for: subject) })
        case .dictionary(let entries): .dictionary(entries.mapValues { expand($0, for: subject) })
        default: value
        }
    }
}
