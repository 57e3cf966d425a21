import PropertyList

/// Decodes one value; the decoder that Codable types see.
///
/// As strict as property lists are: a text is no number and a number is no truth value. Whole numbers are taken over
/// exactly or not at all.
struct ContentDecoder: Decoder {
    /// What is decoded.
    let content: DecodedContent
    /// Where it is.
    let codingPath: [any CodingKey]
    /// The number of containers and calls of `init(from:)` around this one; at most ``NodeEncoder/depthLimit``.
    let depth: Int

    /// Nothing: types that are stored must not depend on who reads them.
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

    /// Says what was expected in the place of what is there.
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

/// A type that may have no value.
protocol OptionalValue {
    /// No value.
    static var nothing: Self { get }
    /// The type of a value.
    static var wrapped: Any.Type { get }
}

extension Optional: OptionalValue {
    /// No value.
    static var nothing: Wrapped? { nil }
    /// The type of a value.
    static var wrapped: Any.Type { Wrapped.self }
}
