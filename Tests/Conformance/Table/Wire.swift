import Foundation

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
    /// A Boolean.
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
    /// Something that is not a property list, with a word for it.
    case foreign(String)

    /// Whether two values are equal as NSObject has it: numbers and Booleans compare as numbers.
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

    /// The value as a floating-point number if it is a number or a Boolean.
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

extension Wire: CustomStringConvertible {
    /// The value as one line; keys of dictionaries are sorted.
    package var description: String {
        switch self {
        case .string(let text): Wire.quoted(text)
        case .integer(let value): String(value)
        case .real(let value): Wire.text(of: value)
        case .boolean(let value): value ? "true" : "false"
        case .date(let seconds): "@" + Wire.text(of: seconds)
        case .data(let bytes): "<" + bytes.map { Wire.hexadecimal($0) }.joined() + ">"
        case .array(let values): "[" + values.map(\.description).joined(separator: ", ") + "]"
        case .dictionary(let values):
            "{"
                + values.sorted { $0.key < $1.key }.map { "\(Wire.quoted($0.key)): \($0.value)" }
                .joined(separator: ", ") + "}"
        case .nothing: "nil"
        case .foreign(let word): "?" + word
        }
    }

    /// A number that reads back as one with a fraction.
    private static func text(of value: Double) -> String {
        value.isNaN ? "nan" : value.isInfinite ? (value < 0 ? "-inf" : "inf") : value.description
    }

    /// Two hexadecimal digits.
    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }

    /// Text between quotation marks, control characters as `\u00XX`.
    package static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case _ where scalar.value < 0x20 || scalar.value == 0x7f:
                result += "\\u00" + hexadecimal(UInt8(scalar.value))
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension Wire {
    /// The value as Foundation's property lists have it.
    package var foundation: Any {
        switch self {
        case .string(let text): text
        case .integer(let value):
            if let number = Int(exactly: value) { number } else { UInt64(truncatingIfNeeded: value) }
        case .real(let value): value
        case .boolean(let value): value
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .data(let bytes): Data(bytes)
        case .array(let values): values.map(\.foundation)
        case .dictionary(let values): values.mapValues(\.foundation)
        case .nothing, .foreign("null"): NSNull()
        case .foreign: NSObject()
        }
    }

    /// Takes over what a subject returned.
    package init(foundation value: Any?) {
        guard let value else {
            self = .nothing
            return
        }
        if let box = value as? any OptionalBox {
            self = Wire(foundation: box.content)
            return
        }
        switch value {
        case let text as String: self = .string(text)
        case let data as Data: self = .data(Array(data))
        case let date as Date: self = .date(date.timeIntervalSinceReferenceDate)
        case let url as URL: self = .string(url.absoluteString)
        case let values as [Any]: self = .array(values.map { Wire(foundation: $0) })
        case let values as [String: Any]: self = .dictionary(values.mapValues { Wire(foundation: $0) })
        default: self = Wire(number: value) ?? .foreign(String(describing: type(of: value)))
        }
    }

    /// Converts a number or a Boolean without confusing them.
    private init?(number value: Any) {
        switch value {
        case let number as NSNumber where type(of: value) is NSNumber.Type:
            switch String(cString: number.objCType) {
            case "c": self = .boolean(number.boolValue)
            case "d", "f": self = .real(number.doubleValue)
            case "Q": self = .integer(Int128(number.uint64Value))
            default: self = .integer(Int128(number.int64Value))
            }
        default:
            if type(of: value) == Bool.self, let flag = value as? Bool {
                self = .boolean(flag)
            } else if type(of: value) == Double.self, let number = value as? Double {
                self = .real(number)
            } else if type(of: value) == Float.self, let number = value as? Float {
                self = .real(Double(number))
            } else if let number = value as? any BinaryInteger {
                self = .integer(Int128(number))
            } else {
                return nil
            }
        }
    }
}

/// Recognizes an optional value inside of `Any`, which Foundation on Linux returns.
private protocol OptionalBox {
    /// The value in it.
    var content: Any? { get }
}

extension Optional: OptionalBox {
    /// The value as any.
    fileprivate var content: Any? { self }
}
