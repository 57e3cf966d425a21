import PropertyList

extension Bool: ScalarValue {
    /// The truth value.
    var storedValue: PropertyList.Value? { .boolean(self) }

    /// Takes over truth values; the numbers 0 and 1 are none.
    init(strictly value: PropertyList.Value) throws(ScalarMismatch) {
        guard case .boolean(let truth) = value else { throw .type }
        self = truth
    }

    /// Takes over numbers and texts as `bool(forKey:)` does.
    init?(coercing value: PropertyList.Value, in defaults: ManagedDefaults) {
        guard value.isTextOrNumber else { return nil }
        self = value.boolValue
    }
}

/// A whole number of some width.
protocol IntegerValue: ScalarValue, FixedWidthInteger {}

extension IntegerValue {
    /// The number; `nil` beyond `Int64.min` and `UInt64.max`.
    var storedValue: PropertyList.Value? {
        if let number = Int64(exactly: self) { return .integer(Integer(number)) }
        return UInt64(exactly: self).map { .integer(Integer($0)) }
    }

    /// Takes over whole numbers that fit, also those that are stored as reals.
    init(strictly value: PropertyList.Value) throws(ScalarMismatch) {
        let result: Self?
        switch value {
        case .integer(let number): result = Self(exactly: number)
        case .real(let number): result = Self(exactly: number)
        default: throw .type
        }
        guard let result else { throw .content("the number \(value.stringValue ?? "") does not fit") }
        self = result
    }

    /// Takes over numbers and texts as `integer(forKey:)` does, where the result fits.
    init?(coercing value: PropertyList.Value, in defaults: ManagedDefaults) {
        let result: Self?
        switch value {
        case .integer(let number): result = Self(exactly: number)
        case .real(let number) where !number.isNaN: result = Self(exactly: number.rounded(.towardZero))
        case .string(let text):
            // Texts with more digits than a signed number has are read whole, where they are nothing but a number.
            let number = Integer(decimal: text) ?? Integer(value.integerValue)
            // The nearest number that there is stands for one beyond it.
            let isNearest = number == Integer(Int.max) || number == Integer(Int.min)
            result = isNearest && Integer(decimal: text) == nil ? nil : Self(exactly: number)
        case .boolean, .real: result = Self(exactly: value.integerValue)
        case .date, .data, .array, .dictionary: return nil
        }
        guard let result else { return nil }
        self = result
    }

    /// The number where it fits.
    private init?(exactly number: Integer) {
        if let number = number.int64 {
            self.init(exactly: number)
        } else if let number = number.uint64 {
            self.init(exactly: number)
        } else {
            return nil
        }
    }
}

extension Int: IntegerValue {
    /// Takes over numbers and texts exactly as `integer(forKey:)` does, the nearest where one does not fit.
    init?(coercing value: PropertyList.Value, in defaults: ManagedDefaults) {
        guard value.isTextOrNumber else { return nil }
        self = value.integerValue
    }
}
extension Int8: IntegerValue {}
extension Int16: IntegerValue {}
extension Int32: IntegerValue {}
extension Int64: IntegerValue {}
extension Int128: IntegerValue {}
extension UInt: IntegerValue {}
extension UInt8: IntegerValue {}
extension UInt16: IntegerValue {}
extension UInt32: IntegerValue {}
extension UInt64: IntegerValue {}
extension UInt128: IntegerValue {}

extension Double: ScalarValue {
    /// The number.
    var storedValue: PropertyList.Value? { .real(self) }

    /// Takes over reals, and whole numbers that a `Double` holds exactly.
    init(strictly value: PropertyList.Value) throws(ScalarMismatch) {
        switch value {
        case .real(let number): self = number
        case .integer(let number):
            guard let exact = number.exact(Double.self) else {
                throw .content("the number \(number) is not exact as a floating-point number")
            }
            self = exact
        default: throw .type
        }
    }

    /// Takes over numbers and texts as `double(forKey:)` does.
    init?(coercing value: PropertyList.Value, in defaults: ManagedDefaults) {
        guard value.isTextOrNumber else { return nil }
        self = value.doubleValue
    }
}

extension Float: ScalarValue {
    /// The number, which a `Double` holds exactly; Foundation's decoders take nothing else for a `Float`.
    var storedValue: PropertyList.Value? { .real(Double(self)) }

    /// The number with the digits that Swift prints for it.
    var settingValue: PropertyList.Value? { .real(shortest: self) }

    /// Takes over reals, rounded to the nearest number of single precision, and whole numbers that are exact in it.
    init(strictly value: PropertyList.Value) throws(ScalarMismatch) {
        switch value {
        case .real(let number):
            let nearest = Float(number)
            guard nearest.isFinite || !number.isFinite else {
                throw .content("the number \(number) is too large for single precision")
            }
            self = nearest
        case .integer(let number):
            guard let exact = number.exact(Float.self) else {
                throw .content("the number \(number) is not exact in single precision")
            }
            self = exact
        default: throw .type
        }
    }

    /// Takes over numbers and texts as `float(forKey:)` does.
    init?(coercing value: PropertyList.Value, in defaults: ManagedDefaults) {
        guard value.isTextOrNumber else { return nil }
        self = value.floatValue
    }
}

extension Integer {
    /// The number in a floating-point type that holds it exactly; `nil` where that type does not.
    fileprivate func exact<Number: BinaryFloatingPoint>(_ type: Number.Type) -> Number? {
        if let number = int64 { return Number(exactly: number) }
        return uint64.flatMap { Number(exactly: $0) }
    }
}

extension PropertyList.Value {
    /// Whether NSUserDefaults' getters for numbers and truth values read the value.
    fileprivate var isTextOrNumber: Bool {
        switch self {
        case .string, .boolean, .integer, .real: true
        case .date, .data, .array, .dictionary: false
        }
    }
}
