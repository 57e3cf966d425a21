import MDPropertyList

/// Encodes the entries of a dictionary.
struct EntryEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    /// The encoder of the dictionary.
    let encoder: NodeEncoder
    /// The dictionary.
    let node: EncodedNode

    /// The place of the dictionary.
    var codingPath: [any CodingKey] { encoder.codingPath }

    /// The encoder of an entry.
    private func entry(_ key: any CodingKey) -> NodeEncoder {
        encoder.part(node.entry(MDPropertyList.Key(key.stringValue)), key)
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

    /// Returns a container of entries.
    func nestedContainer<Nested: CodingKey>(
        keyedBy keyType: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        entry(key).nested().container(keyedBy: keyType)
    }

    /// Returns a container of elements.
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        entry(key).nested().unkeyedContainer()
    }

    /// Returns the encoder of the superclass.
    func superEncoder() -> any Encoder {
        entry(PositionKey.superclass).nested()
    }

    /// Returns the encoder of a superclass under a key.
    func superEncoder(forKey key: Key) -> any Encoder {
        entry(key).nested()
    }
}

/// The protocol has a function for each of these types, whose default implementation ignores `nil`.
extension EntryEncoder {
    /// Encodes an entry, or that there is none.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeEntry(value, key) }
    /// Encodes an entry, or that there is none.
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeEntry(value, key) }
    /// Encodes an entry, or that there is none.
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeEntry(value, key) }
    /// Encodes an entry, or that there is none.
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeEntry(value, key) }
    /// Encodes an entry, or that there is none.
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeEntry(value, key) }
    /// Encodes an entry, or that there is none.
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeEntry(value, key) }
    /// Encodes an entry, or that there is none.
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeEntry(value, key) }
    /// Encodes an entry, or that there is none.
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeEntry(value, key) }
    /// Encodes an entry, or that there is none.
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeEntry(value, key) }
    /// Encodes an entry, or that there is none.
    func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try encodeEntry(value, key) }
    /// Encodes an entry, or that there is none.
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeEntry(value, key) }
    /// Encodes an entry, or that there is none.
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeEntry(value, key) }
    /// Encodes an entry, or that there is none.
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeEntry(value, key) }
    /// Encodes an entry, or that there is none.
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeEntry(value, key) }
    /// Encodes an entry, or that there is none.
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeEntry(value, key) }
    /// Encodes an entry, or that there is none.
    func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try encodeEntry(value, key) }
}

/// Encodes the elements of an array.
struct ElementEncoder: UnkeyedEncodingContainer {
    /// The encoder of the array.
    let encoder: NodeEncoder
    /// The array.
    let node: EncodedNode

    /// The place of the array.
    var codingPath: [any CodingKey] { encoder.codingPath }
    /// The number of elements.
    var count: Int { node.count }

    /// The encoder of a new last element.
    private func element() -> NodeEncoder {
        let key = PositionKey(count)
        return encoder.part(node.element(), key, isElement: true)
    }

    /// Refuses: an array has no gaps.
    func encodeNil() throws {
        try element().encodeNil()
    }

    /// Encodes an element.
    func encode<T: Encodable>(_ value: T) throws {
        try element().encodeHere(value)
    }

    /// Returns a container of entries.
    func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
        element().nested().container(keyedBy: keyType)
    }

    /// Returns a container of elements.
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        element().nested().unkeyedContainer()
    }

    /// Returns the encoder of the superclass.
    func superEncoder() -> any Encoder {
        element().nested()
    }
}

/// A place in a coding path that no type declares: a position in an array, or a superclass.
struct PositionKey: CodingKey {
    /// The position, or the name of the superclass's entry.
    let stringValue: String
    /// The position.
    let intValue: Int?

    /// The key under which a superclass is stored.
    static let superclass = PositionKey(stringValue: "super")

    /// The place of an element.
    init(_ index: Int) {
        stringValue = "\(index)"
        intValue = index
    }

    /// A named place.
    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    /// The place of an element.
    init(intValue: Int) {
        self.init(intValue)
    }
}
