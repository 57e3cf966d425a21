import PropertyList

/// Encodes the entries of a dictionary.
struct EntryEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    /// Who encodes the dictionary.
    let encoder: NodeEncoder
    /// The dictionary.
    let node: EncodedNode

    /// Where the dictionary is.
    var codingPath: [any CodingKey] { encoder.codingPath }

    /// The encoder of an entry.
    private func entry(_ key: any CodingKey) -> NodeEncoder {
        encoder.part(node.entry(PropertyList.Key(key.stringValue)), key)
    }

    /// Encodes that there is no value.
    func encodeNil(forKey key: Key) throws {
        entry(key).node.content = .null
    }

    /// Encodes an entry; the last of several under one key counts.
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        let entry = entry(key)
        entry.node.content = .nothing
        try entry.encodeHere(value)
    }

    /// Encodes an entry, or that there is none.
    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
        try encodeEntry(value, key)
    }

    /// Encodes an entry, or that there is none.
    func encodeEntry<T: Encodable>(_ value: T?, _ key: Key) throws {
        if let value {
            try encode(value, forKey: key)
        } else {
            try encodeNil(forKey: key)
        }
    }

    /// Hands out a container of entries.
    func nestedContainer<Nested: CodingKey>(
        keyedBy keyType: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        entry(key).nested().container(keyedBy: keyType)
    }

    /// Hands out a container of elements.
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        entry(key).nested().unkeyedContainer()
    }

    /// Hands out the encoder of the super class.
    func superEncoder() -> any Encoder {
        entry(PositionKey.superclass).nested()
    }

    /// Hands out the encoder of a super class under a key.
    func superEncoder(forKey key: Key) -> any Encoder {
        entry(key).nested()
    }
}
