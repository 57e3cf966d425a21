import MDPropertyList

/// Decodes the entries of a dictionary.
struct EntryDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    /// The decoder of the dictionary.
    let decoder: ContentDecoder
    /// The entries.
    let lookups: any DecodedLookups

    /// The place of the dictionary.
    var codingPath: [any CodingKey] { decoder.codingPath }
    /// The keys that the type knows.
    var allKeys: [Key] { lookups.keys.compactMap { Key(stringValue: $0) } }

    /// Whether there is an entry.
    func contains(_ key: Key) -> Bool {
        lookups.value(of: key.stringValue) != nil
    }

    /// Whether there is none: a property list has no other `nil`.
    func decodeNil(forKey key: Key) -> Bool {
        !contains(key)
    }

    /// Decodes an entry; one that may be missing is `nil` then.
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        if let result = try decodeEntry(type, key) { return result }
        if let optional = type as? any OptionalValue.Type, let nothing = optional.nothing as? T { return nothing }
        throw missing(key)
    }

    /// Decodes an entry, or returns `nil` if it is missing.
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try decodeEntry(type, key)
    }

    /// Decodes an entry, or returns `nil` if it is missing.
    func decodeEntry<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T? {
        // One lookup, so that the answer is that of one moment.
        guard let value = lookups.value(of: key.stringValue) else { return nil }
        return try decoder.part(.value(value), key).decodeHere(type)
    }

    /// Reads an entry as entries.
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try entry(key).container(keyedBy: type)
    }

    /// Reads an entry as elements.
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try entry(key).unkeyedContainer()
    }

    /// The decoder of the superclass.
    func superDecoder() -> any Decoder {
        superDecoder(PositionKey.superclass)
    }

    /// The decoder of a superclass under a key.
    func superDecoder(forKey key: Key) -> any Decoder {
        superDecoder(key)
    }

    /// The decoder of a superclass, which may have stored nothing.
    private func superDecoder(_ key: any CodingKey) -> any Decoder {
        decoder.part(lookups.value(of: key.stringValue).map { .value($0) } ?? .nothing, key)
    }

    /// The decoder of an entry.
    private func entry(_ key: Key) throws -> ContentDecoder {
        guard let value = lookups.value(of: key.stringValue) else { throw missing(key) }
        return decoder.part(.value(value), key)
    }

    /// The error of a missing entry.
    private func missing(_ key: Key) -> DecodingError {
        .keyNotFound(
            key, DecodingError.Context(codingPath: codingPath, debugDescription: "There is no \(key.stringValue)."))
    }
}

/// The protocol has a function for each of these types, whose default implementation looks an entry up twice.
extension EntryDecoder {
    /// Decodes an entry, or returns `nil` if it is missing.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try decodeEntry(type, key) }
    /// Decodes an entry, or returns `nil` if it is missing.
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try decodeEntry(type, key) }
    /// Decodes an entry, or returns `nil` if it is missing.
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try decodeEntry(type, key) }
    /// Decodes an entry, or returns `nil` if it is missing.
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try decodeEntry(type, key) }
    /// Decodes an entry, or returns `nil` if it is missing.
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try decodeEntry(type, key) }
    /// Decodes an entry, or returns `nil` if it is missing.
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try decodeEntry(type, key) }
    /// Decodes an entry, or returns `nil` if it is missing.
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try decodeEntry(type, key) }
    /// Decodes an entry, or returns `nil` if it is missing.
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try decodeEntry(type, key) }
    /// Decodes an entry, or returns `nil` if it is missing.
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try decodeEntry(type, key) }
    /// Decodes an entry, or returns `nil` if it is missing.
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try decodeEntry(type, key) }
    /// Decodes an entry, or returns `nil` if it is missing.
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try decodeEntry(type, key) }
    /// Decodes an entry, or returns `nil` if it is missing.
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try decodeEntry(type, key) }
    /// Decodes an entry, or returns `nil` if it is missing.
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try decodeEntry(type, key) }
    /// Decodes an entry, or returns `nil` if it is missing.
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try decodeEntry(type, key) }
    /// Decodes an entry, or returns `nil` if it is missing.
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try decodeEntry(type, key) }
    /// Decodes an entry, or returns `nil` if it is missing.
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try decodeEntry(type, key) }
}

/// Decodes the elements of an array.
struct ElementDecoder: UnkeyedDecodingContainer {
    /// The decoder of the array.
    let decoder: ContentDecoder
    /// The elements.
    let values: [MDPropertyList.Value]
    /// The position of the next element.
    private(set) var currentIndex = 0

    /// The place of the array.
    var codingPath: [any CodingKey] { decoder.codingPath }
    /// The number of elements.
    var count: Int? { values.count }
    /// Whether every element was decoded.
    var isAtEnd: Bool { currentIndex >= values.count }

    /// Makes a decoder that begins with the first element.
    init(decoder: ContentDecoder, values: [MDPropertyList.Value]) {
        self.decoder = decoder
        self.values = values
    }

    /// Decodes the next element, and advances if that succeeds.
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

    /// The decoder of the superclass.
    mutating func superDecoder() throws -> any Decoder {
        try next((any Decoder).self) { $0 }
    }
}
