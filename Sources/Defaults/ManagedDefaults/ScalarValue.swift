import FoundationEssentials
import MDPropertyList

/// A type of Swift that is one value of a property list, without parts.
protocol ScalarValue: Codable, Sendable {
    /// The value that is stored; `nil` if no property list can hold it.
    var storedValue: MDPropertyList.Value? { get }

    /// The value that is stored for a setting by itself, outside of a Codable type, as `set(_:forKey:)` stores it.
    var settingValue: MDPropertyList.Value? { get }

    /// Converts a stored value of the same type only, as Codable types do.
    init(strictly value: MDPropertyList.Value) throws(ScalarMismatch)

    /// Converts a stored value as a setting by itself is read: numbers into each other, and texts that say one; `nil` if
    /// it cannot be read as this type.
    init?(coercing value: MDPropertyList.Value, in defaults: ManagedDefaults)
}

/// Why a stored value cannot be converted.
enum ScalarMismatch: Error {
    /// It is of another type.
    case type
    /// It is of the right type, and the number or text does not fit: the reason, as a clause.
    case content(String)
}

extension ScalarValue {
    /// The value that is stored in a Codable type, too.
    var settingValue: MDPropertyList.Value? { storedValue }

    /// Converts values of the same type only.
    init?(coercing value: MDPropertyList.Value, in defaults: ManagedDefaults) {
        guard let result = try? Self(strictly: value) else { return nil }
        self = result
    }
}

extension Bool: ScalarValue {
    /// The Boolean.
    var storedValue: MDPropertyList.Value? { .boolean(self) }

    /// Converts Booleans, but not the numbers 0 and 1.
    init(strictly value: MDPropertyList.Value) throws(ScalarMismatch) {
        guard case .boolean(let truth) = value else { throw .type }
        self = truth
    }

    /// Converts numbers, and texts that are a number or a word for a Boolean.
    init?(coercing value: MDPropertyList.Value, in defaults: ManagedDefaults) {
        guard let truth = value.truth else { return nil }
        self = truth
    }
}

/// An integer of any width.
protocol IntegerValue: ScalarValue, FixedWidthInteger {}

extension IntegerValue {
    /// The number; `nil` beyond `Int64.min` and `UInt64.max`.
    var storedValue: MDPropertyList.Value? {
        if let number = Int64(exactly: self) { return .integer(Integer(number)) }
        return UInt64(exactly: self).map { .integer(Integer($0)) }
    }

    /// Converts integers that fit, also if they are stored as reals.
    init(strictly value: MDPropertyList.Value) throws(ScalarMismatch) {
        let result: Self?
        switch value {
        case .integer(let number): result = Self(exactly: number)
        case .real(let number): result = Self(exactly: number)
        default: throw .type
        }
        guard let result else { throw .content("the number \(value.stringValue ?? "") does not fit") }
        self = result
    }

    /// Converts numbers and texts that are one, without their fraction, if the result fits.
    init?(coercing value: MDPropertyList.Value, in defaults: ManagedDefaults) {
        // More digits than the numbers of property lists have are read whole.
        if case .string(let text) = value, let whole = Self(text) {
            self = whole
            return
        }
        let result: Self?
        switch value.number {
        case .integer(let number)?: result = Self(exactly: number)
        case .real(let number)? where !number.isNaN: result = Self(exactly: number.rounded(.towardZero))
        case let number?: result = Self(exactly: number.integerValue)
        case nil: return nil
        }
        guard let result else { return nil }
        self = result
    }

    /// The number if it fits.
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
    /// Converts numbers and texts that are one: as in `integer(forKey:)`, one that does not fit becomes the nearest.
    init?(coercing value: MDPropertyList.Value, in defaults: ManagedDefaults) {
        guard let number = value.number else { return nil }
        self = number.integerValue
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
    var storedValue: MDPropertyList.Value? { .real(self) }

    /// Converts reals, and integers that are exact as a `Double`.
    init(strictly value: MDPropertyList.Value) throws(ScalarMismatch) {
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

    /// Converts numbers and texts that are one.
    init?(coercing value: MDPropertyList.Value, in defaults: ManagedDefaults) {
        guard let number = value.number else { return nil }
        self = number.doubleValue
    }
}

extension Float: ScalarValue {
    /// The number, which a `Double` holds exactly; Foundation's decoders take nothing else for a `Float`.
    var storedValue: MDPropertyList.Value? { .real(Double(self)) }

    /// The number with the digits that Swift prints for it.
    var settingValue: MDPropertyList.Value? { .real(shortest: self) }

    /// Converts reals, rounded to single precision, and integers that are exact in it.
    init(strictly value: MDPropertyList.Value) throws(ScalarMismatch) {
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

    /// Converts numbers and texts that are one; a text is rounded once.
    init?(coercing value: MDPropertyList.Value, in defaults: ManagedDefaults) {
        guard value.number != nil else { return nil }
        self = value.floatValue
    }
}

extension Integer {
    /// The number in a floating-point type; `nil` if it is not exact in it.
    fileprivate func exact<Number: BinaryFloatingPoint>(_ type: Number.Type) -> Number? {
        if let number = int64 { return Number(exactly: number) }
        return uint64.flatMap { Number(exactly: $0) }
    }
}

extension String: ScalarValue {
    /// The text.
    var storedValue: MDPropertyList.Value? { .string(self) }

    /// Converts texts.
    init(strictly value: MDPropertyList.Value) throws(ScalarMismatch) {
        guard case .string(let text) = value else { throw .type }
        self = text
    }

    /// Converts texts and numbers as `string(forKey:)` does.
    init?(coercing value: MDPropertyList.Value, in defaults: ManagedDefaults) {
        guard let text = value.stringValue else { return nil }
        self = text
    }
}

extension Date: ScalarValue {
    /// The point in time; `nil` if it is infinite or not a number.
    var storedValue: MDPropertyList.Value? {
        timeIntervalSinceReferenceDate.isFinite ? .date(timeIntervalSinceReferenceDate) : nil
    }

    /// Converts dates.
    init(strictly value: MDPropertyList.Value) throws(ScalarMismatch) {
        guard case .date(let seconds) = value else { throw .type }
        self.init(timeIntervalSinceReferenceDate: seconds)
    }
}

extension Data: ScalarValue {
    /// The bytes.
    var storedValue: MDPropertyList.Value? { .data(Array(self)) }

    /// Converts data.
    init(strictly value: MDPropertyList.Value) throws(ScalarMismatch) {
        guard case .data(let bytes) = value else { throw .type }
        self.init(bytes)
    }
}

extension URL: ScalarValue {
    /// The absolute string: an administrator can read it, and force it in a policy file.
    var storedValue: MDPropertyList.Value? { .string(absoluteString) }

    /// Converts texts that are URLs.
    init(strictly value: MDPropertyList.Value) throws(ScalarMismatch) {
        guard case .string(let text) = value else { throw .type }
        guard let url = URL(string: text, encodingInvalidCharacters: false) else {
            throw .content("the text is no URL")
        }
        self = url
    }

    /// Converts the values that ``ManagedDefaults/url(forKey:)`` reads, but reads a text that is a URL as such, not as a path.
    ///
    /// A text without a scheme is a path only if it begins with `/` or `~`.
    init?(coercing value: MDPropertyList.Value, in defaults: ManagedDefaults) {
        let url: URL?
        switch value {
        case .string(let text) where text.utf8.first != UInt8(ascii: "/") && text.utf8.first != UInt8(ascii: "~"):
            url = try? URL(strictly: value)
        default: url = defaults.url(of: value)
        }
        guard let url else { return nil }
        self = url
    }
}
