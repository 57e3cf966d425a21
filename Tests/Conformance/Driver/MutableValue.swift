import ConformanceTable
import Foundation

/// Values of mutable classes, for the rows that change a value after it was set.
package enum MutableValue {
    /// The value that was made last.
    package private(set) nonisolated(unsafe) static var last: Any?

    /// Makes a value whose strings, data and containers are mutable all the way down.
    static func make(_ value: Wire) -> Any {
        let result = build(value)
        last = result
        return result
    }

    /// Changes the value that was made last, all the way down.
    static func mutateLast() {
        if let last { mutate(last) }
    }

    /// Changes whatever can be changed in a value, all the way down.
    package static func mutate(_ value: Any) {
        switch value {
        case let array as NSMutableArray:
            for element in array { mutate(element) }
            array.add("!")
        case let dictionary as NSMutableDictionary:
            for (_, element) in dictionary { mutate(element) }
            dictionary["!"] = "!"
        case let text as NSMutableString: text.append("!")
        case let data as NSMutableData: data.append(Data([33]))
        case let values as [Any]:
            for element in values { mutate(element) }
        case let values as [String: Any]:
            for (_, element) in values { mutate(element) }
        default: break
        }
    }

    /// Makes one part.
    private static func build(_ value: Wire) -> Any {
        switch value {
        case .string(let text): return NSMutableString(string: text)
        case .data(let bytes): return NSMutableData(data: Data(bytes))
        case .array(let values):
            let result = NSMutableArray()
            for element in values { result.add(build(element)) }
            return result
        case .dictionary(let values):
            let result = NSMutableDictionary()
            for (key, element) in values { result[key] = build(element) }
            return result
        default: return value.foundation
        }
    }
}
