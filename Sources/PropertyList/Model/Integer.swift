/// An integer of a property list: every `Int64` and every `UInt64`, kept exactly.
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

    /// Reads a decimal number with an optional sign; `nil` where it has other characters or does not fit.
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
