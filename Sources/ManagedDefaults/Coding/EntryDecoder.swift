import PropertyList

/// Decodes the entries of a dictionary.
struct EntryDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    /// Who decodes the dictionary.
    let decoder: ContentDecoder
    /// The entries.
    let lookups: any DecodedLookups

    /// Where the dictionary is.
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

    /// Decodes an entry where there is one.
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try decodeEntry(type, key)
    }

    /// Decodes an entry where there is one.
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

    /// The decoder of the super class.
    func superDecoder() -> any Decoder {
        superDecoder(PositionKey.superclass)
    }

    /// The decoder of a super class under a key.
    func superDecoder(forKey key: Key) -> any Decoder {
        superDecoder(key)
    }

    /// The decoder of a super class, which may have stored nothing.
    private func superDecoder(_ key: any CodingKey) -> any Decoder {
        decoder.part(lookups.value(of: key.stringValue).map { .value($0) } ?? .nothing, key)
    }

    /// The decoder of an entry.
    private func entry(_ key: Key) throws -> ContentDecoder {
        guard let value = lookups.value(of: key.stringValue) else { throw missing(key) }
        return decoder.part(.value(value), key)
    }

    /// Says that an entry is missing.
    private func missing(_ key: Key) -> DecodingError {
        .keyNotFound(
            key, DecodingError.Context(codingPath: codingPath, debugDescription: "There is no \(key.stringValue)."))
    }
}
