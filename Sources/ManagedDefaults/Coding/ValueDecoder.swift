package import PropertyList

/// Turns property list values into Codable types.
package enum ValueDecoder {
    /// Decodes a value.
    ///
    /// - Parameters:
    ///   - type: anything Codable, no deeper than 128 containers.
    ///   - value: the value; `nil` where there is none, which only optional types are.
    /// - Returns: the decoded value.
    /// - Throws: `DecodingError` with the place of what is not as the type wants it, and whatever the type throws.
    package static func decode<T: Decodable>(_ type: T.Type, from value: PropertyList.Value?) throws -> T {
        let content = value.map { DecodedContent.value($0) } ?? .nothing
        return try ContentDecoder(content: content, codingPath: [], depth: 0).decodeHere(type)
    }

    /// Decodes a type whose properties are looked up one by one.
    static func decode<T: Decodable>(_ type: T.Type, from lookups: some DecodedLookups) throws -> T {
        try ContentDecoder(content: .lookups(lookups), codingPath: [], depth: 0).decodeHere(type)
    }
}
