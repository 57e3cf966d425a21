import Foundation

extension Wire {
    /// The value as Foundation's property lists have it.
    package var foundation: Any {
        switch self {
        case .string(let text): text
        case .integer(let value):
            if let number = Int(exactly: value) { number } else { UInt64(truncatingIfNeeded: value) }
        case .real(let value): value
        case .boolean(let value): value
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .data(let bytes): Data(bytes)
        case .array(let values): values.map(\.foundation)
        case .dictionary(let values): values.mapValues(\.foundation)
        case .nothing, .foreign("null"): NSNull()
        case .foreign: NSObject()
        }
    }

    /// Takes over what a subject returned.
    package init(foundation value: Any?) {
        guard let value else {
            self = .nothing
            return
        }
        if let box = value as? any OptionalBox {
            self = Wire(foundation: box.content)
            return
        }
        switch value {
        case let text as String: self = .string(text)
        case let data as Data: self = .data(Array(data))
        case let date as Date: self = .date(date.timeIntervalSinceReferenceDate)
        case let url as URL: self = .string(url.absoluteString)
        case let values as [Any]: self = .array(values.map { Wire(foundation: $0) })
        case let values as [String: Any]: self = .dictionary(values.mapValues { Wire(foundation: $0) })
        default: self = Wire(number: value) ?? .foreign(String(describing: type(of: value)))
        }
    }

    /// Takes over a number or a truth value without joining the two.
    private init?(number value: Any) {
        switch value {
        case let number as NSNumber where type(of: value) is NSNumber.Type:
            switch String(cString: number.objCType) {
            case "c": self = .boolean(number.boolValue)
            case "d", "f": self = .real(number.doubleValue)
            case "Q": self = .integer(Int128(number.uint64Value))
            default: self = .integer(Int128(number.int64Value))
            }
        default:
            if type(of: value) == Bool.self, let flag = value as? Bool {
                self = .boolean(flag)
            } else if type(of: value) == Double.self, let number = value as? Double {
                self = .real(number)
            } else if type(of: value) == Float.self, let number = value as? Float {
                self = .real(Double(number))
            } else if let number = value as? any BinaryInteger {
                self = .integer(Int128(number))
            } else {
                return nil
            }
        }
    }
}

/// What tells an optional value inside of `Any`, as Foundation on Linux returns some.
private protocol OptionalBox {
    /// The value in it.
    var content: Any? { get }
}

extension Optional: OptionalBox {
    /// The value as any.
    fileprivate var content: Any? { self }
}
