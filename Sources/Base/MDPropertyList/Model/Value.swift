/// A property list value.
///
/// It is immutable at every level.
package enum Value: Sendable {
    /// Text.
    case string(String)
    /// A boolean, distinct from the numbers 0 and 1 in files.
    case boolean(Bool)
    /// A whole number of 64 bits, signed or unsigned.
    case integer(Integer)
    /// A floating-point number, infinities and NaN included.
    case real(Double)
    /// A point in time, in seconds since 2001-01-01 00:00:00 UTC.
    case date(Double)
    /// Bytes.
    case data([UInt8])
    /// An ordered list.
    case array([Value])
    /// A dictionary; keys are compared as bytes.
    case dictionary([Key: Value])
}

extension Value {
    /// Makes a whole number.
    package static func integer(_ value: Int) -> Value { .integer(Integer(value)) }

    /// The name of the type as `defaults read-type` says it.
    package var typeName: String {
        switch self {
        case .string: "string"
        case .boolean: "boolean"
        case .integer: "integer"
        case .real: "float"
        case .date: "date"
        case .data: "data"
        case .array: "array"
        case .dictionary: "dictionary"
        }
    }
}

extension Value: Equatable {
    /// Whether type and content are equal; integers, reals and booleans compare as numbers, and NaN equals NaN.
    package static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): Key(left) == Key(right)
        case (.date(let left), .date(let right)): left == right || (left.isNaN && right.isNaN)
        case (.data(let left), .data(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.dictionary(let left), .dictionary(let right)): left == right
        default: numbersAreEqual(left, right)
        }
    }

    /// Compares two numeric values exactly.
    private static func numbersAreEqual(_ left: Value, _ right: Value) -> Bool {
        switch (left.exactNumber, right.exactNumber) {
        case (.some(.whole(let left)), .some(.whole(let right))): left == right
        case (.some(.fraction(let left)), .some(.fraction(let right))): left == right || (left.isNaN && right.isNaN)
        default: false
        }
    }

    /// A number reduced so that equal numbers have one form.
    private enum ExactNumber {
        /// A whole number in the range of `Int64` and `UInt64`.
        case whole(Integer)
        /// Any other number.
        case fraction(Double)
    }

    /// The reduced number, or `nil` for other types.
    private var exactNumber: ExactNumber? {
        switch self {
        case .boolean(let value): return .whole(Integer(value ? 1 : 0))
        case .integer(let value): return .whole(value)
        case .real(let value):
            if let whole = Int64(exactly: value) { return .whole(Integer(whole)) }
            if let whole = UInt64(exactly: value) { return .whole(Integer(whole)) }
            return .fraction(value)
        default: return nil
        }
    }
}

/// An integer of a property list: exactly any `Int64` or `UInt64`.
package struct Integer: Hashable, Sendable {
    /// The two's complement bits.
    private let bits: UInt64
    /// Whether the number is below zero; `bits` is then the bit pattern of an `Int64`.
    package let isNegative: Bool

    /// Makes an integer of a signed number.
    package init(_ value: some SignedInteger & FixedWidthInteger) {
        bits = UInt64(truncatingIfNeeded: value)
        isNegative = value < 0
    }

    /// Makes an integer of an unsigned number.
    package init(_ value: UInt64) {
        bits = value
        isNegative = false
    }

    /// Reads a decimal number with an optional sign; `nil` if it has other characters or does not fit.
    package init?(decimal text: some StringProtocol) {
        if let value = Int64(text) {
            self.init(value)
        } else if let value = UInt64(text) {
            self.init(value)
        } else {
            return nil
        }
    }

    /// The number as an `Int64`, or `nil` above `Int64.max`.
    package var int64: Int64? {
        isNegative ? Int64(truncatingIfNeeded: bits) : Int64(exactly: bits)
    }

    /// The number as a `UInt64`, or `nil` below zero.
    package var uint64: UInt64? {
        isNegative ? nil : bits
    }

    /// The nearest floating-point number.
    package var double: Double {
        isNegative ? Double(Int64(truncatingIfNeeded: bits)) : Double(bits)
    }
}

extension Integer: Comparable, CustomStringConvertible {
    /// Whether `left` is the smaller number.
    package static func < (left: Integer, right: Integer) -> Bool {
        if left.isNegative != right.isNegative { return left.isNegative }
        return left.bits < right.bits
    }

    /// The number in decimal digits.
    package var description: String {
        isNegative ? String(Int64(truncatingIfNeeded: bits)) : String(bits)
    }
}

/// Converts values to other types, as NSUserDefaults documents it for its typed getters.
///
/// Strings and numbers convert into each other; dates, data, arrays and dictionaries convert to 0, false and no string.
/// Foundation wraps around, or reads an integer beyond `Int64` as 0; here the result is the nearest integer.
extension Value {
    /// The value as a boolean.
    ///
    /// A number is true unless it is 0 or NaN. A string is true if, after blanks, signs and zeros, a digit from 1 to 9
    /// or one of `Y`, `y`, `T`, `t` follows: `YES`, `true`, `1`, `12abc` are true; `NO`, `on`, `0x10`, `.5` are not.
    package var boolValue: Bool {
        switch self {
        case .boolean(let value): value
        case .integer(let value): value != Integer(0)
        case .real(let value): value != 0 && !value.isNaN
        case .string(let text): NumericPrefix.isTrue(text)
        case .date, .data, .array, .dictionary: false
        }
    }

    /// The value as a whole number, clamped to the range.
    ///
    /// A real loses its fraction, and NaN is 0. A string gives the decimal digits at its front, after blanks and a
    /// sign: `12.9` and `12abc` are 12, `1e3` is 1, `YES` is 0.
    package var integerValue: Int {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): Int(clamping: value)
        case .real(let value): Int(clamping: value)
        case .string(let text): NumericPrefix.integer(text)
        case .date, .data, .array, .dictionary: 0
        }
    }

    /// The value as a floating-point number.
    ///
    /// A string gives the longest decimal number at its front, correctly rounded; `inf`, `nan` and hexadecimal digits
    /// are 0, and a number that is too large is infinite.
    package var doubleValue: Double {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): value.double
        case .real(let value): value
        case .string(let text): NumericPrefix.decimal(text).flatMap { Double($0) } ?? 0
        case .date, .data, .array, .dictionary: 0
        }
    }

    /// The value as a floating-point number of single precision, rounded once; see ``doubleValue``.
    package var floatValue: Float {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): value.int64.map { Float($0) } ?? Float(value.uint64 ?? 0)
        case .real(let value): Float(value)
        case .string(let text): NumericPrefix.decimal(text).flatMap { Float($0) } ?? 0
        case .date, .data, .array, .dictionary: 0
        }
    }

    /// The number that the value is, or that all of its text says; `nil` for any other value.
    ///
    /// Typed readers take this in place of the conversions above, which find a number in every text: `5`, `-2.5` and
    /// `1e3` are numbers; `wide`, `12abc`, `inf` and the empty text are not.
    package var number: Value? {
        switch self {
        case .boolean, .integer, .real: return self
        case .string(let text):
            if let whole = Integer(decimal: text) { return .integer(whole) }
            return DecimalReal.isDecimal(text.utf8) ? Double(text).map { .real($0) } : nil
        case .date, .data, .array, .dictionary: return nil
        }
    }

    /// The Boolean that the value is, or that all of its text says, as a word or a number; `nil` for any other value.
    package var truth: Bool? {
        if case .string(let text) = self, let truth = Value.truths[text.lowercased()] { return truth }
        return number?.boolValue
    }

    /// The words for a Boolean, in lower case.
    private static let truths = [
        "yes": true, "y": true, "true": true, "t": true, "no": false, "n": false, "false": false, "f": false,
    ]

    /// The value as text, or `nil` for dates, data, arrays and dictionaries.
    ///
    /// Booleans are `1` and `0`. A real has the fewest digits that read back as itself, and no `.0`: `1`, `0.1`,
    /// `1e+20`, `nan`.
    package var stringValue: String? {
        switch self {
        case .string(let text): return text
        case .boolean(let value): return value ? "1" : "0"
        case .integer(let value): return value.description
        case .real(let value):
            let text = value.description
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        case .date, .data, .array, .dictionary: return nil
        }
    }

    /// The strings of an array that holds only strings, else `nil`.
    package var stringArrayValue: [String]? {
        guard case .array(let values) = self else { return nil }
        var texts: [String] = []
        texts.reserveCapacity(values.count)
        for value in values {
            guard case .string(let text) = value else { return nil }
            texts.append(text)
        }
        return texts
    }
}

extension Int {
    /// Clamps a number to the range.
    fileprivate init(clamping value: Integer) {
        self = value.int64.map { Int(clamping: $0) } ?? .max
    }

    /// Drops the fraction and clamps to the range; NaN becomes 0.
    fileprivate init(clamping value: Double) {
        if let exact = Int(exactly: value.rounded(.towardZero)) {
            self = exact
        } else {
            self = value.isNaN ? 0 : value < 0 ? .min : .max
        }
    }
}
