import Foundation
import ManagedDefaults

/// Converts values of Foundation's callers into the types that managed defaults take.
enum PlainValue {
    /// The greatest number of arrays and dictionaries inside of each other, as in every property list.
    private static let depthLimit = 512

    /// A value without objects and optionals in it.
    ///
    /// A collection of Foundation that contains itself ends the process within Foundation, which copies collections.
    ///
    /// - Parameter value: a Swift value, or an object of Foundation.
    /// - Returns: `nil` for a value that no property list can hold; number objects that are Booleans become `Bool`.
    static func plain(_ value: Any) -> Any? {
        plain(value, depth: 0)
    }

    /// The values of a domain; a value that no property list can hold becomes one that the managed defaults refuse.
    static func plain(_ values: [String: Any]) -> [String: Any] {
        values.mapValues { plain($0) ?? Unstorable() }
    }

    /// A value that no property list can hold.
    private struct Unstorable {}

    /// A value at some depth of another.
    private static func plain(_ value: Any, depth: Int) -> Any? {
        guard depth < depthLimit else { return nil }
        // Casts would turn the number 1 into `true` and numbers of Swift into objects, so the type itself is asked.
        if type(of: value) is AnyClass { return (value as? NSObject).flatMap { plain(object: $0, depth: depth) } }
        if let optional = value as? any OptionalValue {
            return optional.wrapped.flatMap { plain($0, depth: depth + 1) }
        }
        switch value {
        case is String, is Substring, is Bool, is Int, is Double, is Date, is Data: return value
        case let value as CGFloat: return Double(value)
        case let value as Float: return Double(value)
        case let value as Decimal: return NSDecimalNumber(decimal: value).doubleValue
        case let values as [Any]: return list(values, depth: depth)
        case let values as [AnyHashable: Any]: return dictionary(values, depth: depth)
        default: return value
        }
    }

    /// The Swift value of an object of Foundation.
    private static func plain(object: NSObject, depth: Int) -> Any? {
        switch object {
        case let number as NSNumber: return plain(number: number)
        case let text as NSString: return String(describing: text)
        case let date as NSDate: return Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
        case let data as NSData: return Data(referencing: data)
        case let url as NSURL: return url as URL
        case let array as NSArray: return list((0..<array.count).map { array.object(at: $0) }, depth: depth)
        case let values as NSDictionary:
            var result: [AnyHashable: Any] = [:]
            for key in values.allKeys {
                guard let name = plain(key, depth: depth + 1) as? String, let value = values.object(forKey: key) else {
                    return nil
                }
                result[name] = value
            }
            return dictionary(result, depth: depth)
        default: return nil
        }
    }

    /// The Swift value of a number object; Booleans are distinguished from 0 and 1.
    private static func plain(number: NSNumber) -> Any {
        // The two Booleans are singletons, distinct from every number object.
        if number === NSNumber(value: true) { return true }
        if number === NSNumber(value: false) { return false }
        // The pointer leads to a text of one letter, the type code, which the class owns.
        switch unsafe UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): return number.doubleValue
        case UInt8(ascii: "Q"), UInt8(ascii: "L"): return number.uint64Value
        default: return Int(number.int64Value)
        }
    }

    /// An array without objects and optionals in it.
    private static func list(_ values: [Any], depth: Int) -> [Any]? {
        var result: [Any] = []
        result.reserveCapacity(values.count)
        for value in values {
            guard let value = plain(value, depth: depth + 1) else { return nil }
            result.append(value)
        }
        return result
    }

    /// A dictionary without objects and optionals in it; `nil` if a key is not text.
    private static func dictionary(_ values: [AnyHashable: Any], depth: Int) -> [String: Any]? {
        var result: [String: Any] = [:]
        for (key, value) in values {
            guard let key = plain(key.base, depth: depth + 1) as? String, let value = plain(value, depth: depth + 1)
            else { return nil }
            result[key] = value
        }
        return result
    }
}
