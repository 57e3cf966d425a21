package import MDPropertyList

extension GVariant {
    /// Why a value has not a type, as a clause.
    package struct TypeError: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    /// Makes a value of a type from that of a property list.
    ///
    /// Numbers must fit exactly. A tuple is written as an array, a value that may be missing as itself.
    ///
    /// - Throws: why it has not this type.
    package init(_ value: Value, as type: GVariantType) throws(TypeError) {
        switch (type, value) {
        case (.basic(UInt8(ascii: "b")), .boolean(let value)): self = .boolean(value)
        case (.basic(UInt8(ascii: "d")), .real(let number)): self = .double(number)
        case (.basic(UInt8(ascii: "d")), .integer(let number)): self = .double(number.double)
        case (.basic(UInt8(ascii: "s")), .string(let text)): self = .text(UInt8(ascii: "s"), try GVariant.plain(text))
        case (.basic(UInt8(ascii: "o")), .string(let text)):
            guard GVariant.isObjectPath(text) else { throw TypeError(description: "the value is no object path") }
            self = .text(UInt8(ascii: "o"), text)
        case (.basic(UInt8(ascii: "g")), .string(let text)):
            guard text.isEmpty || GVariantType("(\(text))".utf8) != nil else {
                throw TypeError(description: "the value is no signature of types")
            }
            self = .text(UInt8(ascii: "g"), text)
        case (.basic(let letter), .integer(let number)):
            self = try GVariant.integer(number, letter)
        case (.basic(let letter), .real(let number)):
            guard let whole = Int64(exactly: number) else { throw TypeError.wrong(value, type) }
            self = try GVariant.integer(Integer(whole), letter)
        case (.variant, _): self = .variant(try GVariant(value, as: try GVariant.naturalType(of: value)))
        case (.maybe(let inner), _): self = .maybe(inner, try GVariant(value, as: inner))
        case (.array(.entry(let key, let content)), .dictionary(let members)):
            self = .array(.entry(key, content), try GVariant.entries(members, key, content))
        case (.array(.basic(UInt8(ascii: "y"))), .data(let bytes)):
            self = .array(
                .basic(UInt8(ascii: "y")), bytes.map { .integer(UInt8(ascii: "y"), Integer(UInt64($0))) })
        case (.array(let element), .array(let values)):
            var elements: [GVariant] = []
            for value in values { elements.append(try GVariant(value, as: element)) }
            self = .array(element, elements)
        case (.tuple(let types), .array(let values)) where types.count == values.count:
            var members: [GVariant] = []
            for (value, type) in zip(values, types) { members.append(try GVariant(value, as: type)) }
            self = .tuple(members)
        default: throw TypeError.wrong(value, type)
        }
    }

    private static func integer(_ number: Integer, _ letter: UInt8) throws(TypeError) -> GVariant {
        guard let range = range(of: letter) else { throw TypeError.wrong(.integer(number), .basic(letter)) }
        guard range.contains(number) else {
            throw TypeError(
                description: "\(number) does not fit: the key has \(range.lowerBound) to \(range.upperBound)")
        }
        return .integer(letter, number)
    }

    private static func entries(
        _ members: [Key: Value], _ key: GVariantType, _ content: GVariantType
    ) throws(TypeError) -> [GVariant] {
        var entries: [GVariant] = []
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            let left: GVariant
            if case .basic(let letter) = key, range(of: letter) != nil {
                guard let number = Integer(decimal: name.string) else {
                    throw TypeError.wrong(.string(name.string), key)
                }
                left = try integer(number, letter)
            } else {
                left = try GVariant(.string(name.string), as: key)
            }
            entries.append(.entry(left, try GVariant(value, as: content)))
        }
        return entries
    }

    /// The type of a value where the key takes any.
    private static func naturalType(of value: Value) throws(TypeError) -> GVariantType {
        switch value {
        case .string: return .basic(UInt8(ascii: "s"))
        case .boolean: return .basic(UInt8(ascii: "b"))
        case .real: return .basic(UInt8(ascii: "d"))
        case .integer(let number):
            for letter in "ixt".utf8 where range(of: letter)?.contains(number) == true { return .basic(letter) }
            return .basic(UInt8(ascii: "t"))
        case .data: return .array(.basic(UInt8(ascii: "y")))
        case .dictionary: return .array(.entry(.basic(UInt8(ascii: "s")), .variant))
        case .array(let elements):
            var types: Set<GVariantType> = []
            for element in elements { types.insert(try naturalType(of: element)) }
            return .array(types.count == 1 ? types.first ?? .variant : .variant)
        case .date: throw TypeError(description: "GSettings has no dates")
        }
    }

    /// A text that GVariant can hold.
    private static func plain(_ text: String) throws(TypeError) -> String {
        if text.utf8.contains(0) { throw TypeError(description: "the text has a NUL, which GSettings cannot hold") }
        return text
    }

    private static func isObjectPath(_ text: String) -> Bool {
        if text.utf8.elementsEqual("/".utf8) { return true }
        guard text.utf8.first == 0x2f else { return false }
        return text.utf8.dropFirst().split(separator: 0x2f, omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty
                && part.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                        || byte == 0x5f
                }
        }
    }
}

extension GVariant.TypeError {
    /// The error of a value that has another type.
    fileprivate static func wrong(_ value: Value, _ type: GVariantType) -> GVariant.TypeError {
        GVariant.TypeError(description: "the value is \(noun(value)), and the key wants \(noun(type))")
    }

    private static func noun(_ value: Value) -> String {
        switch value {
        case .string: "a string"
        case .boolean: "a boolean"
        case .integer: "an integer"
        case .real: "a real number"
        case .date: "a date"
        case .data: "data"
        case .array: "an array"
        case .dictionary: "a dictionary"
        }
    }

    private static func noun(_ type: GVariantType) -> String {
        switch type {
        case .basic(UInt8(ascii: "b")): "a boolean"
        case .basic(UInt8(ascii: "d")): "a number"
        case .basic(UInt8(ascii: "s")), .basic(UInt8(ascii: "o")), .basic(UInt8(ascii: "g")): "a string"
        case .basic: "an integer"
        case .array(.entry): "a dictionary (\(type.text))"
        case .array: "an array (\(type.text))"
        case .tuple(let members): "an array of \(members.count) values (\(type.text))"
        case .maybe(let inner): noun(inner)
        case .variant: "any value"
        case .entry: "an entry"
        }
    }
}
