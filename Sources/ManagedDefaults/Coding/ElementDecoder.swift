import PropertyList

/// Decodes the elements of an array.
struct ElementDecoder: UnkeyedDecodingContainer {
    /// Who decodes the array.
    let decoder: ContentDecoder
    /// The elements.
    let values: [PropertyList.Value]
    /// The position of the next element.
    private(set) var currentIndex = 0

    /// Where the array is.
    var codingPath: [any CodingKey] { decoder.codingPath }
    /// The number of elements.
    var count: Int? { values.count }
    /// Whether every element was decoded.
    var isAtEnd: Bool { currentIndex >= values.count }

    /// Makes a decoder that stands at the first element.
    init(decoder: ContentDecoder, values: [PropertyList.Value]) {
        self.decoder = decoder
        self.values = values
    }

    /// Decodes the next element, and moves on where that succeeds.
    private mutating func next<Result>(_ type: Any.Type, _ body: (ContentDecoder) throws -> Result) throws -> Result {
        let key = PositionKey(currentIndex)
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type,
                DecodingError.Context(
                    codingPath: codingPath + [key], debugDescription: "The array has no more than \(values.count)."))
        }
        let result = try body(decoder.part(.value(values[currentIndex]), key))
        currentIndex += 1
        return result
    }

    /// Whether the next element is `nil`, which none is.
    mutating func decodeNil() throws -> Bool {
        if isAtEnd { try next(Never.self) { _ in } }
        return false
    }

    /// Decodes the next element.
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try next(type) { try $0.decodeHere(type) }
    }

    /// Reads the next element as entries.
    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next(type) { try $0.container(keyedBy: type) }
    }

    /// Reads the next element as elements.
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next([Any].self) { try $0.unkeyedContainer() }
    }

    /// The decoder of the super class.
    mutating func superDecoder() throws -> any Decoder {
        try next((any Decoder).self) { $0 }
    }
}
