import FoundationEssentials
package import PropertyList

extension Value {
    /// The value as the types that applications use.
    package var bridged: any Sendable {
        switch self {
        case .string(let value): value
        case .boolean(let value): value
        case .integer(let value): value.int64.map { Int($0) as any Sendable } ?? (value.uint64 ?? .max) as any Sendable
        case .real(let value): value
        case .date(let value): Date(timeIntervalSinceReferenceDate: value)
        case .data(let value): Data(value)
        case .array(let values): values.map(\.bridged)
        case .dictionary(let values): Value.bridged(values)
        }
    }

    /// A dictionary as the types that applications use.
    ///
    /// Of keys that Swift's `String` takes for equal, though their bytes differ, one remains.
    package static func bridged(_ values: [Key: Value]) -> [String: any Sendable] {
        Dictionary(values.map { ($0.key.string, $0.value.bridged) }) { first, _ in first }
    }

    /// The most arrays and dictionaries inside of each other that are taken over.
    ///
    /// One less than files may have, because there the domain is around the value, and a value that no file can hold
    /// would be lost later.
    private static let depthLimit = Limits.standard.depth - 1

    /// Takes over a value of an application; `nil` for what no property list can hold.
    ///
    /// An object of Foundation's NSNumber stays what it is, as in files that Foundation writes: a truth value, a whole
    /// number or a floating-point number.
    package init?(bridging value: Any) {
        self.init(bridging: value, depth: 0)
    }

    /// Takes over a value at some depth of another.
    private init?(bridging value: Any, depth: Int) {
        guard depth < Value.depthLimit else { return nil }
        if let value = value as? String {
            self = .string(value)
            return
        }
        if type(of: value) is AnyClass, let number = Value(numberObject: value) {
            self = number
            return
        }
        // Casts see through an optional, and would take the number object in it for whatever it can become.
        if let optional = value as? any AnyOptional {
            guard let value = optional.wrapped.flatMap({ Value(bridging: $0, depth: depth + 1) }) else { return nil }
            self = value
            return
        }
        switch value {
        case let value as Substring: self = .string(String(value))
        case let value as Bool: self = .boolean(value)
        // The usual number, ahead of casts that are slow.
        case let value as Int: self = .integer(Integer(value))
        case let value as Double: self = .real(value)
        case let value as any SignedInteger & FixedWidthInteger & Sendable:
            guard let number = Int64(exactly: value) else { return nil }
            self = .integer(Integer(number))
        case let value as any UnsignedInteger & FixedWidthInteger & Sendable:
            guard let number = UInt64(exactly: value) else { return nil }
            self = .integer(Integer(number))
        case let value as any BinaryFloatingPoint: self = .real(shortest: value)
        case let value as Date:
            // No file holds a moment that is none.
            guard value.timeIntervalSinceReferenceDate.isFinite else { return nil }
            self = .date(value.timeIntervalSinceReferenceDate)
        case let value as Data: self = .data(Array(value))
        case let values as [Any]:
            var result: [Value] = []
            for value in values {
                guard let element = Value(bridging: value, depth: depth + 1) else { return nil }
                result.append(element)
            }
            self = .array(result)
        case let values as [String: Any]:
            var result: [Key: Value] = [:]
            for (key, value) in values {
                guard let element = Value(bridging: value, depth: depth + 1) else { return nil }
                result[Key(key)] = element
            }
            self = .dictionary(result)
        default: return nil
        }
    }
}

extension Value {
    /// A floating-point number of any precision.
    ///
    /// Of fewer digits than a `Double` has, it is the `Double` of the same shortest decimal text: `Float(12.34)` is 12.34
    /// and not 12.34000015258789, as NSUserDefaults has it, which stores a number of single precision as such. It equals
    /// the 12.34 of a policy file and reads back as the same `Float`. A whole number stays exactly what it is.
    static func real<Number: BinaryFloatingPoint>(shortest value: Number) -> Value {
        guard Number.significandBitCount < Double.significandBitCount, value != value.rounded(),
            let nearest = Double("\(value)"), Number(nearest) == value
        else { return .real(Double(value)) }
        return .real(nearest)
    }

    /// What an NSNumber counts; `nil` for any other object.
    ///
    /// Foundation's type is not known here. Casts turn such an object into each type that can hold its number, 1 into
    /// `true` and 2.0 into 2, so its own type is told by its description, in which floating-point numbers have a point,
    /// an exponent or letters, and by the name of its class, which truth values and decimal numbers have to themselves.
    fileprivate init?(numberObject object: Any) {
        guard object is Double || object is Int || object is UInt64 else { return nil }
        let name = String(describing: type(of: object))
        let text = String(describing: object)
        if name.hasSuffix("Boolean"), let value = object as? Bool {
            self = .boolean(value)
        } else if name != "NSDecimalNumber", let number = Int64(text) {
            self = .integer(Integer(number))
        } else if name != "NSDecimalNumber", let number = UInt64(text) {
            self = .integer(Integer(number))
        } else if let number = Double(text) ?? object as? Double {
            self = .real(number)
        } else {
            return nil
        }
    }
}

/// An optional whose type is not known.
private protocol AnyOptional {
    /// What it holds.
    var wrapped: Any? { get }
}

extension Optional: AnyOptional {
    /// What it holds.
    fileprivate var wrapped: Any? { self }
}
