extension Document {
    /// Reads a property list of any of the four encodings, which its first bytes determine.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - format: the encoding that it must have; `nil` detects it: `bplist` is binary, `<?xml`, `<plist` and `<!` are
    ///     XML, anything else is OpenStep text.
    ///   - limits: the limits beyond which a file is refused.
    ///   - allowsControlCharacters: whether texts in XML may hold characters that XML forbids, except NUL.
    /// - Returns: the document, its root of any type.
    /// - Throws: the first error, with its position.
    package static func read(
        _ bytes: [UInt8], as format: Format? = nil, limits: Limits = .standard,
        allowsControlCharacters: Bool = false
    ) throws(PropertyListError) -> Document {
        guard bytes.count <= limits.bytes else {
            throw PropertyListError(
                .tooLarge, "the file has \(bytes.count) bytes; at most \(limits.bytes) are read", at: .start)
        }
        if format == .binary || (format == nil && BinaryReader.recognizes(bytes)) {
            return try BinaryReader.read(bytes, limits: limits)
        }
        let source = try SourceText(decoding: bytes)
        switch format ?? source.probableFormat {
        case .json: return try JSONReader.read(source, limits: limits)
        case .openStep: return try OpenStepReader.read(source, limits: limits)
        case .xml, .binary:
            return try XMLReader.read(
                source, limits: limits, allowsControlCharacters: allowsControlCharacters)
        }
    }
}

extension SourceText {
    /// The encoding that the first characters suggest: XML if they open a tag, else OpenStep text.
    package var probableFormat: Format {
        var index = 0
        while index < utf8.count, [0x20, 0x09, 0x0a, 0x0d].contains(utf8[index]) { index += 1 }
        guard index + 1 < utf8.count, utf8[index] == UInt8(ascii: "<") else { return .openStep }
        let next = utf8[index + 1]
        let opensTag = next == UInt8(ascii: "?") || next == UInt8(ascii: "!") || next == UInt8(ascii: "p")
        return opensTag ? .xml : .openStep
    }
}
