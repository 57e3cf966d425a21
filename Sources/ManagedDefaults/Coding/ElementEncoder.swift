import PropertyList

/// Encodes the elements of an array.
struct ElementEncoder: UnkeyedEncodingContainer {
    /// Who encodes the array.
    let encoder: NodeEncoder
    /// The array.
    let node: EncodedNode

    /// Where the array is.
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

    /// Hands out a container of entries.
    func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
        element().nested().container(keyedBy: keyType)
    }

    /// Hands out a container of elements.
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        element().nested().unkeyedContainer()
    }

    /// Hands out the encoder of the super class.
    func superEncoder() -> any Encoder {
        element().nested()
    }
}
