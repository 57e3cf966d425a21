/// The protocol has a function for each of these types, with a default that would not note what is `nil`.
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
