/// The protocol has a function for each of these types, with a default that looks an entry up more than once.
extension EntryDecoder {
    /// Decodes an entry where there is one.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try decodeEntry(type, key) }
    /// Decodes an entry where there is one.
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try decodeEntry(type, key) }
    /// Decodes an entry where there is one.
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try decodeEntry(type, key) }
    /// Decodes an entry where there is one.
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try decodeEntry(type, key) }
    /// Decodes an entry where there is one.
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try decodeEntry(type, key) }
    /// Decodes an entry where there is one.
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try decodeEntry(type, key) }
    /// Decodes an entry where there is one.
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try decodeEntry(type, key) }
    /// Decodes an entry where there is one.
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try decodeEntry(type, key) }
    /// Decodes an entry where there is one.
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try decodeEntry(type, key) }
    /// Decodes an entry where there is one.
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try decodeEntry(type, key) }
    /// Decodes an entry where there is one.
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try decodeEntry(type, key) }
    /// Decodes an entry where there is one.
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try decodeEntry(type, key) }
    /// Decodes an entry where there is one.
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try decodeEntry(type, key) }
    /// Decodes an entry where there is one.
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try decodeEntry(type, key) }
    /// Decodes an entry where there is one.
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try decodeEntry(type, key) }
    /// Decodes an entry where there is one.
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try decodeEntry(type, key) }
}
