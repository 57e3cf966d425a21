package import MDPolicyModel
package import MDPropertyList

extension PolicyEntry {
    /// The value for a subject, with variables expanded in strings, not in keys; `nil` for an absent entry, and if a
    /// variable is unknown of the subject.
    ///
    /// Complexity: O(n) of the value's size.
    package func value(for subject: Subject) -> Value? {
        guard let value = value?.value else { return nil }
        return hasVariables ? PolicyEntry.expand(value, for: subject) : value
    }

    /// The known part of a value that is combined with others: without the array elements and dictionary entries that
    /// need a variable which is unknown of the subject.
    ///
    /// - Returns: that part, and whether it is the whole value.
    package func known(for subject: Subject) -> (value: Value, isWhole: Bool) {
        guard let value = value?.value else { return (.boolean(false), false) }
        return hasVariables ? PolicyEntry.known(value, for: subject) : (value, true)
    }

    /// The known part of an array or a dictionary.
    private static func known(_ value: Value, for subject: Subject) -> (value: Value, isWhole: Bool) {
        switch value {
        case .array(let elements):
            let known = elements.compactMap { expand($0, for: subject) }
            return (.array(known), known.count == elements.count)
        case .dictionary(let entries):
            var (rest, isWhole): ([Key: Value], Bool) = ([:], true)
            for (key, entry) in entries {
                if case .dictionary = entry {
                    let inner = known(entry, for: subject)
                    rest[key] = inner.value
                    isWhole = isWhole && inner.isWhole
                } else if let expanded = expand(entry, for: subject) {
                    rest[key] = expanded
                } else {
                    isWhole = false
                }
            }
            return (.dictionary(rest), isWhole)
        default: return (value, true)
        }
    }

    /// Expands the strings of a value, recursively; `nil` if one of them is unknown.
    private static func expand(_ value: Value, for subject: Subject) -> Value? {
        switch value {
        case .string(let text):
            // A file with an invalid template is rejected, so a text that does not parse here was never in force.
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
