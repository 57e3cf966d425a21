package import PropertyList

/// Turns Codable types into property list values.
package enum ValueEncoder {
    /// Encodes a value.
    ///
    /// - Parameter value: anything Codable, no deeper than 128 containers.
    /// - Returns: the value; `nil` for `nil`.
    /// - Throws: `EncodingError` with the place of what no property list can hold, and whatever the type throws itself.
    package static func encode(_ value: some Encodable) throws -> PropertyList.Value? {
        try node(of: value).value
    }

    /// Encodes the properties of a type.
    ///
    /// - Parameter value: a type that encodes entries.
    /// - Returns: its entries; `nil` for a property that is `nil`.
    /// - Throws: as ``encode(_:)``; also where the type encodes anything else than entries.
    package static func encodeEntries(_ value: some Encodable) throws -> [PropertyList.Key: PropertyList.Value?] {
        let node = try node(of: value)
        switch node.content {
        case .dictionary(let nodes): return nodes.mapValues(\.value)
        case .nothing: return [:]
        case .null, .value, .array:
            throw EncodingError.invalidValue(
                value, EncodingError.Context(codingPath: [], debugDescription: "Only a type with properties has keys."))
        }
    }

    /// Encodes into a new node.
    private static func node(of value: some Encodable) throws -> EncodedNode {
        let node = EncodedNode()
        let mistakes = EncodingMistakes()
        try NodeEncoder(node: node, codingPath: [], depth: 0, isElement: false, mistakes: mistakes).encodeHere(value)
        if let mistake = mistakes.first { throw mistake }
        return node
    }
}
