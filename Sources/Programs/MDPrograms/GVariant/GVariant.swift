package import MDPropertyList

/// A value of GVariant.
package indirect enum GVariant: Hashable, Sendable {
    case boolean(Bool)
    /// A whole number of a type with this letter.
    case integer(UInt8, Integer)
    case double(Double)
    /// A text, an object path or a signature, by the letter of its type.
    case text(UInt8, String)
    case variant(GVariant)
    /// A value or none, and the type of the value.
    case maybe(GVariantType, GVariant?)
    /// The elements and their type.
    case array(GVariantType, [GVariant])
    case tuple([GVariant])
    case entry(GVariant, GVariant)

    /// A text.
    package static func string(_ text: String) -> GVariant { .text(UInt8(ascii: "s"), text) }

    /// The type of the value.
    package var type: GVariantType {
        switch self {
        case .boolean: .basic(UInt8(ascii: "b"))
        case .integer(let letter, _), .text(let letter, _): .basic(letter)
        case .double: .basic(UInt8(ascii: "d"))
        case .variant: .variant
        case .maybe(let inner, _): .maybe(inner)
        case .array(let element, _): .array(element)
        case .tuple(let members): .tuple(members.map(\.type))
        case .entry(let key, let value): .entry(key.type, value.type)
        }
    }

    /// The numbers that a type can have.
    static func range(of letter: UInt8) -> ClosedRange<Integer>? {
        func signed<Number: SignedInteger & FixedWidthInteger>(_ type: Number.Type) -> ClosedRange<Integer> {
            Integer(type.min)...Integer(type.max)
        }
        func unsigned<Number: UnsignedInteger & FixedWidthInteger>(_ type: Number.Type) -> ClosedRange<Integer> {
            Integer(UInt64(type.min))...Integer(UInt64(type.max))
        }
        return switch letter {
        case UInt8(ascii: "y"): unsigned(UInt8.self)
        case UInt8(ascii: "n"): signed(Int16.self)
        case UInt8(ascii: "q"): unsigned(UInt16.self)
        case UInt8(ascii: "i"), UInt8(ascii: "h"): signed(Int32.self)
        case UInt8(ascii: "u"): unsigned(UInt32.self)
        case UInt8(ascii: "x"): signed(Int64.self)
        case UInt8(ascii: "t"): unsigned(UInt64.self)
        default: nil
        }
    }

    /// The value of a property list that says the same: a tuple becomes an array, a missing value `nil`.
    package var value: Value? {
        switch self {
        case .boolean(let value): return .boolean(value)
        case .integer(_, let number): return .integer(number)
        case .double(let number): return .real(number)
        case .text(_, let text): return .string(text)
        case .variant(let inner): return inner.value
        case .maybe(_, let inner): return inner?.value
        case .array(.entry, let entries):
            var members: [Key: Value] = [:]
            for case .entry(let key, let value) in entries { members[Key(key.keyText)] = value.value }
            return .dictionary(members)
        case .array(_, let elements), .tuple(let elements): return .array(elements.compactMap(\.value))
        case .entry(let key, let value): return .array([key, value].compactMap(\.value))
        }
    }

    /// A key of a dictionary as a text.
    private var keyText: String {
        switch self {
        case .text(_, let text): text
        case .integer(_, let number): number.description
        default: text
        }
    }
}
