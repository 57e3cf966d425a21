/// A property list value: what a default holds.
///
/// Values are deeply immutable.
package enum Value: Sendable {
    /// Text.
    case string(String)
    /// A truth value, distinct from the numbers 0 and 1 in files.
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

    /// Compares two numeric values by what they count, exactly.
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

    /// The reduced number, or `nil` for what is no number.
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
