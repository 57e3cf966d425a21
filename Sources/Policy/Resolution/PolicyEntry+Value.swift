import PropertyList

extension PolicyEntry {
    /// The value for a subject, variables expanded in strings and never in keys; `nil` for an absent entry, and where a
    /// variable is needed that nobody can tell of the subject.
    ///
    /// Complexity: O(n) of the value's size.
    func value(for subject: Subject) -> Value? {
        guard let value = value?.value else { return nil }
        return hasVariables ? PolicyEntry.expand(value, for: subject) : value
    }

    /// Expands the strings of a value, however deep they stand; `nil` where one of them cannot be told.
    private static func expand(_ value: Value, for subject: Subject) -> Value? {
        switch value {
        case .string(let text):
            // A file with a mistake in a template does not load, so what does not parse here was never in force.
            guard let template = try? Template(text) else { return value }
            return template.expanded(for: subject).map { .string($0) }
        case .array(let elements):
            var expanded: [Value] = []
            expanded.reserveCapacity(elements.count)
            for element in elements {
                guard let element = expand(element, for: subject) else { return nil }
                expanded.append(element)
            }
            return .array(expanded)
        case .dictionary(let entries):
            var expanded = entries
            for (key, element) in entries {
                guard let element = expand(element, for: subject) else { return nil }
                expanded[key] = element
            }
            return .dictionary(expanded)
        default: return value
        }
    }
}
