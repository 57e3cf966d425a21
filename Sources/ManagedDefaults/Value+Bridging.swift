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
    package init?(bridging value: Any) {
        self.init(bridging: value, depth: 0)
    }

    /// Takes over a value at some depth of another.
    private init?(bridging value: Any, depth: Int) {
        guard depth < Value.depthLimit else { return nil }
        switch value {
        case let value as String: self = .string(value)
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
        case let value as any BinaryFloatingPoint: self = .real(Double(value))
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
