import PropertyList

/// Turns a domain into the bytes of its file.
///
/// A file that was binary stays binary; any other becomes XML, as Foundation writes it. What XML cannot hold exactly, a
/// fraction of a second or a control character, is stored as binary, which Foundation and GNUstep read as well: a value
/// must come back as it was stored.
enum StoredEncoding {
    /// Encodes a domain.
    ///
    /// - Parameters:
    ///   - values: the domain.
    ///   - format: the encoding of the file that is replaced; `nil` for a new file.
    ///   - limits: the bounds within which the file must be, so that it can be read again.
    ///   - path: the file as it is shown to people, for the error.
    /// - Returns: the content of the file.
    /// - Throws: `notStorable`.
    static func encode(
        _ values: [Key: Value], replacing format: Format?, limits: Limits = .standard, path: String
    ) throws(PreferencesError) -> [UInt8] {
        var measure = StoredMeasure(limits: limits)
        if let excess = measure.excess(of: .dictionary(values)) { throw .notStorable(path: path, reason: excess) }
        let bytes: [UInt8]
        do {
            bytes = try encode(.dictionary(values), asBinary: format == .binary || measure.hasFractionalDate)
        } catch {
            throw .notStorable(path: path, reason: error.message)
        }
        guard bytes.count <= limits.bytes else {
            throw .notStorable(
                path: path, reason: "the file would have \(bytes.count) bytes; at most \(limits.bytes) are read")
        }
        return bytes
    }

    /// Encodes a value as binary, or as XML where that can hold it.
    private static func encode(_ value: Value, asBinary: Bool) throws(PropertyListError) -> [UInt8] {
        if !asBinary, let bytes = try? XMLWriter.write(value) { return bytes }
        return try BinaryWriter.write(value)
    }
}
