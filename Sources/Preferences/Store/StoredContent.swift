import PropertyList

/// The content of a preference file that is to be written.
///
/// A file that was binary stays binary; any other becomes XML, as Foundation writes it. What XML cannot hold exactly, a
/// fraction of a second or a control character, is stored as binary, which Foundation and GNUstep read as well: a value
/// must come back as it was stored.
struct StoredContent {
    /// The most keys that are changed one by one; each moves what follows it.
    private static let mostChanges = 64

    /// The bytes.
    let bytes: [UInt8]
    /// Their encoding.
    let format: Format
    /// The text, where it is XML.
    let text: XMLDictionaryText?

    /// Encodes a domain.
    ///
    /// - Parameters:
    ///   - values: the domain.
    ///   - format: the encoding of the file that is replaced; `nil` for a new file.
    ///   - limits: the bounds within which the file must be, so that it can be read again.
    ///   - path: the file as it is shown to people, for the error.
    /// - Throws: `notStorable`.
    init(
        _ values: [Key: Value], replacing format: Format?, limits: Limits = .standard, path: String
    ) throws(PreferencesError) {
        var measure = StoredMeasure(limits: limits)
        if let excess = measure.excess(of: .dictionary(values)) { throw .notStorable(path: path, reason: excess) }
        let isXML = format != .binary && !measure.hasFractionalDate
        if isXML, let text = try? XMLDictionaryText(values) {
            (bytes, self.format, self.text) = (text.bytes, .xml, text)
        } else {
            do {
                bytes = try BinaryWriter.write(.dictionary(values))
            } catch {
                throw .notStorable(path: path, reason: error.message)
            }
            (self.format, text) = (.binary, nil)
        }
        guard bytes.count <= limits.bytes else {
            throw .notStorable(
                path: path, reason: "the file would have \(bytes.count) bytes; at most \(limits.bytes) are read")
        }
    }

    /// Changes some keys in the text of a file, where it can hold them and is faster changed than written anew.
    ///
    /// - Parameters:
    ///   - text: the text, which is changed in place; nobody else may keep it, or it is copied. Where `nil` is returned,
    ///     it is of no use any more.
    ///   - changes: the new values; `nil` removes a key.
    ///   - limits: the bounds within which the file must be, so that it can be read again.
    init?(changing text: inout XMLDictionaryText?, _ changes: [Key: Value?], limits: Limits = .standard) {
        guard text != nil, changes.count <= StoredContent.mostChanges else { return nil }
        for (key, value) in changes {
            if let value {
                var measure = StoredMeasure(limits: limits)
                guard measure.excess(of: value, depth: 2) == nil, !measure.hasFractionalDate else { return nil }
            }
            guard (try? text?.set(value, for: key)) != nil else { return nil }
        }
        guard let text, text.bytes.count <= min(limits.bytes, XMLDictionaryText.maximumBytes) else { return nil }
        (bytes, format, self.text) = (text.bytes, .xml, text)
    }
}
