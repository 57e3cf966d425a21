import Configuration
import FoundationEssentials

extension ConfigContent {
    /// Reads a value of the defaults as a type; `nil` if it is of another.
    ///
    /// Numbers and truth values may be texts, as they are in flags and in the environment.
    init?(_ value: any Sendable, as type: ConfigType) {
        /// Reads an array.
        func all<Element>(_ read: (any Sendable) -> Element?) -> [Element]? {
            guard let values = value as? [any Sendable] else { return nil }
            let read = values.compactMap(read)
            return read.count == values.count ? read : nil
        }
        let content: ConfigContent? =
            switch type {
            case .string: Self.text(value).map { .string($0) }
            case .int: Self.int(value).map { .int($0) }
            case .double: Self.double(value).map { .double($0) }
            case .bool: Self.bool(value).map { .bool($0) }
            case .bytes: (value as? Data).map { .bytes([UInt8]($0)) }
            case .stringArray: all(Self.text).map { .stringArray($0) }
            case .intArray: all(Self.int).map { .intArray($0) }
            case .doubleArray: all(Self.double).map { .doubleArray($0) }
            case .boolArray: all(Self.bool).map { .boolArray($0) }
            case .byteChunkArray: all { ($0 as? Data).map { [UInt8]($0) } }.map { .byteChunkArray($0) }
            }
        guard let content else { return nil }
        self = content
    }

    /// A text, or a number as one.
    private static func text(_ value: any Sendable) -> String? {
        switch value {
        case let text as String: text
        case let number as Int: String(number)
        case let number as Double: String(number)
        default: nil
        }
    }

    /// A whole number.
    private static func int(_ value: any Sendable) -> Int? {
        switch value {
        case let number as Int: number
        case let text as String: Int(text)
        default: nil
        }
    }

    /// A number.
    private static func double(_ value: any Sendable) -> Double? {
        switch value {
        case let number as Double: number
        case let number as Int: Double(number)
        case let text as String: Double(text)
        default: nil
        }
    }

    /// A truth value.
    private static func bool(_ value: any Sendable) -> Bool? {
        switch value {
        case let truth as Bool: truth
        case let text as String:
            ["true": true, "yes": true, "1": true, "false": false, "no": false, "0": false][text.lowercased()]
        default: nil
        }
    }
}
