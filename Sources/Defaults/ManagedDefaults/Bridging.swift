import FoundationEssentials
package import MDPropertyList

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

    /// The dictionary as the types that applications use.
    ///
    /// Of keys that are equal as Swift's `String` but differ in their bytes, the result contains one, with its value.
    package static func bridged(_ values: [Key: Value]) -> [String: any Sendable] {
        Dictionary(values.lazy.map { ($0.key.string, $0.value.bridged) }) { first, _ in first }
    }

    /// The greatest number of arrays and dictionaries inside of each other.
    ///
    /// It is one less than in files, because there the domain contains the value, and a value that no file can hold would
    /// be lost later.
    private static let depthLimit = Limits.standard.depth - 1

    /// Converts a value of an application; `nil` if no property list can hold it.
    ///
    /// An object of Foundation's NSNumber keeps its type, as in files that Foundation writes: Boolean, integer or
    /// floating-point number.
    package init?(bridging value: Any) {
        self.init(bridging: value, depth: 0)
    }

    /// A value of the usual types; `nil` for all others.
    ///
    /// An `Any` is opened for the call. Comparing its type costs a tenth of a cast, and a cast that fails looks through all
    /// that the type conforms to.
    @inline(__always)
    private init?<Usual>(usual value: Usual) {
        // Each value is reinterpreted as the type that it has.
        if Usual.self == String.self {
            self = unsafe .string(unsafeBitCast(value, to: String.self))
        } else if Usual.self == Int.self {
            self = unsafe .integer(unsafeBitCast(value, to: Int.self))
        } else if Usual.self == Bool.self {
            self = unsafe .boolean(unsafeBitCast(value, to: Bool.self))
        } else if Usual.self == Double.self {
            self = unsafe .real(unsafeBitCast(value, to: Double.self))
        } else {
            return nil
        }
    }

    /// Converts a value at some depth of another.
    private init?(bridging value: Any, depth: Int) {
        guard depth < Value.depthLimit else { return nil }
        if let usual = Value(usual: value) {
            self = usual
            return
        }
        if let value = value as? String {
            self = .string(value)
            return
        }
        if type(of: value) is AnyClass, let number = Value(numberObject: value) {
            self = number
            return
        }
        // A cast unwraps an optional, and would convert a number object in it into any type that can hold it.
        if let optional = value as? any OptionalValue {
            guard let value = optional.wrapped.flatMap({ Value(bridging: $0, depth: depth + 1) }) else { return nil }
            self = value
            return
        }
        switch value {
        case let value as Substring: self = .string(String(value))
        case let value as any SignedInteger & FixedWidthInteger & Sendable:
            guard let number = Int64(exactly: value) else { return nil }
            self = .integer(Integer(number))
        case let value as any UnsignedInteger & FixedWidthInteger & Sendable:
            guard let number = UInt64(exactly: value) else { return nil }
            self = .integer(Integer(number))
        case let value as any BinaryFloatingPoint: self = .real(shortest: value)
        case let value as Date:
            // No file can hold a date that is infinite or not a number.
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
    /// the 12.34 of a policy file and reads back as the same `Float`. An integer keeps its exact value.
    static func real<Number: BinaryFloatingPoint>(shortest value: Number) -> Value {
        guard Number.significandBitCount < Double.significandBitCount, value != value.rounded(),
            let nearest = Double("\(value)"), Number(nearest) == value
        else { return .real(Double(value)) }
        return .real(nearest)
    }

    /// The value of an NSNumber; `nil` for any other object.
    ///
    /// Foundation is not imported here. A cast converts such an object into each type that can hold its number, 1 into
    /// `true` and 2.0 into 2. So the type is found by the description and by the name of the class. In a description,
    /// floating-point numbers have a point, an exponent or letters; the class differs for Booleans and decimal numbers.
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
