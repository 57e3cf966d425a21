import MDPropertyList

/// The encoded content of a preference file to be written.
///
/// A binary file stays binary; any other becomes XML, as in Foundation. Values that XML cannot hold exactly (fractions
/// of a second, control characters) are stored as binary, which Foundation and GNUstep read as well, so that every
/// value reads back unchanged.
struct EncodedDomain {
    /// The maximum number of keys that are changed one by one; each change moves the bytes after it.
    private static let maximumChanges = 64

    /// The bytes.
    let bytes: [UInt8]
    /// Their encoding.
    let format: Format
    /// The text if it is XML.
    let text: XMLDictionaryText?

    /// Encodes a domain.
    ///
    /// - Parameters:
    ///   - values: the domain.
    ///   - format: the encoding of the file that is replaced; `nil` for a new file.
    ///   - limits: the limits of the file, so that it can be read again.
    ///   - path: the file's path for the error, for display.
    /// - Throws: `notStorable`.
    init(
        _ values: [Key: Value], replacing format: Format?, limits: Limits = .standard, path: String
    ) throws(PreferencesError) {
        var check = StorableCheck(limits: limits)
        if let excess = check.excess(of: .dictionary(values)) { throw .notStorable(path: path, reason: excess) }
        let isXML = format != .binary && !check.hasFractionalDate
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

    /// Changes some keys in the text of a file, if the text can hold them and this is faster than writing it again.
    ///
    /// - Parameters:
    ///   - text: the text, which is changed in place; it is copied if there is another reference to it. It must not be
    ///     used any more if `nil` is returned.
    ///   - changes: the new values; `nil` removes a key.
    ///   - limits: the limits of the file, so that it can be read again.
    init?(changing text: inout XMLDictionaryText?, _ changes: [Key: Value?], limits: Limits = .standard) {
        guard text != nil, changes.count <= EncodedDomain.maximumChanges else { return nil }
        for (key, value) in changes {
            if let value {
                var check = StorableCheck(limits: limits)
                guard check.excess(of: value, depth: 2) == nil, !check.hasFractionalDate else { return nil }
            }
            guard (try? text?.set(value, for: key)) != nil else { return nil }
        }
        guard let text, text.bytes.count <= min(limits.bytes, XMLDictionaryText.maximumBytes) else { return nil }
        (bytes, format, self.text) = (text.bytes, .xml, text)
    }
}

/// Checks values before they are stored, and refuses those that could not be read again.
struct StorableCheck {
    /// The limits of the reader.
    let limits: Limits
    /// The values and keys so far.
    private var objects = 0
    /// Whether there was a date with a fraction of a second, which XML cannot represent.
    private(set) var hasFractionalDate = false

    init(limits: Limits) {
        self.limits = limits
    }

    /// Checks a value and everything in it.
    ///
    /// - Returns: the exceeded limit, as the end of a sentence; `nil` if there is none.
    ///
    /// Complexity: O(values), ended at the first excess. Recursion ends at the depth limit.
    mutating func excess(of value: Value, depth: Int = 1) -> String? {
        guard depth <= limits.depth else { return "its values are nested more than \(limits.depth) deep" }
        switch value {
        case .dictionary(let entries):
            objects += 1 + entries.count
            if let excess = tooMany { return excess }
            for value in entries.values {
                if let excess = excess(of: value, depth: depth + 1) { return excess }
            }
        case .array(let elements):
            objects += 1
            if let excess = tooMany { return excess }
            for value in elements {
                if let excess = excess(of: value, depth: depth + 1) { return excess }
            }
        case .date(let seconds):
            objects += 1
            if seconds != seconds.rounded(.down) { hasFractionalDate = true }
        case .string, .boolean, .integer, .real, .data:
            objects += 1
        }
        return tooMany
    }

    /// The end of a sentence about too many values, or `nil`.
    private var tooMany: String? {
        objects > limits.objects ? "it would hold more than \(limits.objects) values and keys" : nil
    }
}
