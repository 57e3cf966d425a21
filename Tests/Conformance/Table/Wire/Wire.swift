/// A value as rows and drivers write it: one line of text that every driver can read and print alike.
///
/// `"text"`, `42`, `1.5`, `nan`, `inf`, `true`, `<0a0b>` (data), `@0.5` (a date, seconds since 2001), `[1, 2]`, `{"k": 1}`,
/// `nil`, and `?name` for an object that no property list can hold.
package indirect enum Wire: Sendable, Hashable {
    /// Text.
    case string(String)
    /// A whole number, of 64 bits with or without a sign.
    case integer(Int128)
    /// A floating-point number.
    case real(Double)
    /// A truth value.
    case boolean(Bool)
    /// A point in time, in seconds since 2001-01-01 UTC.
    case date(Double)
    /// Bytes.
    case data([UInt8])
    /// A list.
    case array([Wire])
    /// A dictionary.
    case dictionary([String: Wire])
    /// No value.
    case nothing
    /// Something that is no property list, with a word for it.
    case foreign(String)

    /// Whether two values are equal as NSObject has it: numbers and truth values compare as numbers.
    package func matches(_ other: Wire) -> Bool {
        switch (self, other) {
        case (.array(let mine), .array(let others)):
            return mine.count == others.count && zip(mine, others).allSatisfy { $0.matches($1) }
        case (.dictionary(let mine), .dictionary(let others)):
            guard mine.count == others.count else { return false }
            return mine.allSatisfy { key, value in others[key]?.matches(value) ?? false }
        case (.date(let mine), .date(let others)):
            return mine == others
        default:
            if self == other { return true }
            guard let mine = number, let others = other.number else { return false }
            return mine == others || (mine.isNaN && others.isNaN)
        }
    }

    /// The value as a floating-point number where it is a number or a truth value.
    private var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        case .boolean(let value): value ? 1 : 0
        default: nil
        }
    }

    /// Whether every entry of a dictionary, or every element of a list, is also in this one.
    package func contains(_ part: Wire) -> Bool {
        switch (self, part) {
        case (.dictionary(let mine), .dictionary(let parts)):
            parts.allSatisfy { key, value in mine[key]?.matches(value) ?? false }
        case (.array(let mine), .array(let parts)):
            parts.allSatisfy { part in mine.contains { $0.matches(part) } }
        default: false
        }
    }

    /// Whether none of the names in a list is a key of this dictionary, or an element of this list.
    package func lacks(_ names: Wire) -> Bool {
        guard case .array(let names) = names else { return false }
        switch self {
        case .dictionary(let mine):
            return names.allSatisfy { name in
                if case .string(let name) = name { mine[name] == nil } else { true }
            }
        case .array(let mine):
            return names.allSatisfy { name in !mine.contains { $0.matches(name) } }
        case .nothing: return true
        default: return false
        }
    }
}
