package import MDPropertyList

/// Turns property list values into Codable types.
package enum ValueDecoder {
    /// Decodes a value.
    ///
    /// - Parameters:
    ///   - type: anything Codable, no deeper than 128 containers.
    ///   - value: the value; `nil` if there is none, which only optional types accept.
    /// - Returns: the decoded value.
    /// - Throws: `DecodingError` with the place of a value of another type, and any error of the type itself.
    package static func decode<T: Decodable>(_ type: T.Type, from value: MDPropertyList.Value?) throws -> T {
        let content = value.map { DecodedContent.value($0) } ?? .nothing
        return try ContentDecoder(content: content, codingPath: [], depth: 0).decodeHere(type)
    }

    /// Decodes a type whose properties are looked up one by one.
    static func decode<T: Decodable>(_ type: T.Type, from lookups: some DecodedLookups) throws -> T {
        try ContentDecoder(content: .lookups(lookups), codingPath: [], depth: 0).decodeHere(type)
    }
}

/// Decodes one value; the decoder that Codable types see.
///
/// It is as strict as property lists are: a text is not a number, and a number is not a Boolean. An integer must be
/// exact in the type.
struct ContentDecoder: Decoder {
    /// The content to decode.
    let content: DecodedContent
    /// The place of the content.
    let codingPath: [any CodingKey]
    /// The number of containers and calls of `init(from:)` around this one; at most ``NodeEncoder/depthLimit``.
    let depth: Int

    /// Empty: stored types must not depend on their reader.
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Reads the value as entries.
    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(EntryDecoder<Key>(decoder: self, lookups: try lookups()))
    }

    /// Reads the value as elements.
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .value(.array(let values)) = content else { throw mismatch([Any].self, "an array") }
        return ElementDecoder(decoder: self, values: values)
    }

    /// Reads the value itself.
    func singleValueContainer() -> any SingleValueDecodingContainer {
        self
    }

    /// The entries.
    private func lookups() throws -> any DecodedLookups {
        switch content {
        case .value(.dictionary(let entries)): return DictionaryLookups(entries: entries)
        case .lookups(let lookups): return lookups
        case .value, .nothing: throw mismatch([String: Any].self, "a dictionary")
        }
    }

    /// The decoder of a part.
    func part(_ content: DecodedContent, _ key: any CodingKey) -> ContentDecoder {
        ContentDecoder(content: content, codingPath: codingPath + [key], depth: depth + 1)
    }

    /// The error of a content of another type than the expected one.
    func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath, debugDescription: "Expected \(expected), found \(content.typeName).")
        if case .nothing = content { return .valueNotFound(type, context) }
        return .typeMismatch(type, context)
    }
}

extension ContentDecoder: SingleValueDecodingContainer {
    /// Whether there is no value.
    func decodeNil() -> Bool {
        if case .nothing = content { true } else { false }
    }

    /// Decodes the value, one call deeper than the type that asked for it.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try ContentDecoder(content: content, codingPath: codingPath, depth: depth + 1).decodeHere(type)
    }

    /// Decodes the value.
    func decodeHere<T: Decodable>(_ type: T.Type) throws -> T {
        if let scalar = type as? any ScalarValue.Type, let result = try decode(scalar: scalar) as? T { return result }
        guard depth < NodeEncoder.depthLimit else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: codingPath,
                    debugDescription: "Values are nested in each other more than \(NodeEncoder.depthLimit) times."))
        }
        return try T(from: self)
    }

    /// Decodes a value without parts.
    private func decode<Scalar: ScalarValue>(scalar type: Scalar.Type) throws -> Scalar {
        guard case .value(let value) = content else { throw mismatch(type, "\(type)") }
        do {
            return try Scalar(strictly: value)
        } catch {
            switch error {
            case .type: throw mismatch(type, "\(type)")
            case .content(let reason):
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: codingPath, debugDescription: "Expected \(type), but \(reason)."))
            }
        }
    }
}

/// An optional of any type.
package protocol OptionalValue {
    /// No value.
    static var nothing: Self { get }
    /// The wrapped type.
    static var wrappedType: Any.Type { get }
    /// The wrapped value.
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    /// No value.
    package static var nothing: Wrapped? { nil }
    /// The wrapped type.
    package static var wrappedType: Any.Type { Wrapped.self }
    /// The wrapped value.
    package var wrapped: Any? { self }
}

/// The content that a decoder reads: a value, or a search list whose keys are looked up one by one.
enum DecodedContent {
    /// A value.
    case value(MDPropertyList.Value)
    /// No value, for a type that permits it.
    case nothing
    /// A search list.
    case lookups(any DecodedLookups)

    /// The name of the type, for messages.
    var typeName: String {
        switch self {
        case .value(let value): value.typeName
        case .nothing: "no value"
        case .lookups: "dictionary"
        }
    }
}

/// The entries of a dictionary that is not one value.
protocol DecodedLookups {
    /// The value of a key.
    func value(of key: String) -> MDPropertyList.Value?
    /// Every key that has a value.
    var keys: [String] { get }
}

/// A dictionary whose entries are decoded.
struct DictionaryLookups: DecodedLookups {
    /// The entries.
    let entries: [MDPropertyList.Key: MDPropertyList.Value]

    /// The value of a key, byte for byte.
    func value(of key: String) -> MDPropertyList.Value? { entries[MDPropertyList.Key(key)] }
    /// Every key, in byte order.
    var keys: [String] { entries.keys.sorted().map(\.string) }
}
