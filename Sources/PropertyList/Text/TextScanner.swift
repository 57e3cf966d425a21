/// Walks over the bytes of a text, and makes mistakes with their places.
struct TextScanner {
    /// The text, which knows lines and columns.
    let source: SourceText
    /// The text's bytes.
    let bytes: [UInt8]
    /// The offset of the byte that is looked at.
    var index = 0

    /// Makes a scanner at the beginning of a text.
    ///
    /// - Throws: `tooLarge` where the text has more bytes than `limits` allows.
    init(_ source: SourceText, limits: Limits) throws(PropertyListError) {
        guard source.utf8.count <= limits.bytes else {
            throw PropertyListError(
                .tooLarge, "the text has \(source.utf8.count) bytes; at most \(limits.bytes) are read", at: .start)
        }
        self.source = source
        bytes = source.utf8
    }

    /// Whether nothing is left.
    var isAtEnd: Bool { index >= bytes.count }

    /// The byte that is looked at, or `nil` at the end.
    var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// The byte some places ahead, or `nil` past the end.
    func byte(ahead distance: Int) -> UInt8? {
        index + distance < bytes.count ? bytes[index + distance] : nil
    }

    /// The whole character at an offset, or `nil` at the end.
    func scalar(at offset: Int) -> Unicode.Scalar? {
        guard offset < bytes.count else { return nil }
        return String(decoding: bytes[offset..<min(offset + 4, bytes.count)], as: UTF8.self).unicodeScalars.first
    }

    /// The text of a range of offsets.
    func string(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    /// Steps over a byte, and says whether it was there.
    mutating func take(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    /// Whether the text goes on with a literal.
    func looksAt(_ literal: String) -> Bool {
        bytes[min(index, bytes.count)...].starts(with: literal.utf8)
    }

    /// Whether the text ends within a literal that it could have gone on with.
    func endsWithin(_ literal: String) -> Bool {
        let rest = bytes[min(index, bytes.count)...]
        return rest.count < literal.utf8.count && literal.utf8.starts(with: rest)
    }

    /// Steps over a literal, and says whether it was there.
    mutating func take(_ literal: String) -> Bool {
        guard looksAt(literal) else { return false }
        index += literal.utf8.count
        return true
    }

    /// Steps over blanks, tabs and line ends, and says whether there were any.
    @discardableResult
    mutating func skipBlanks() -> Bool {
        let start = index
        while index < bytes.count, TextScanner.isBlank(bytes[index]) { index += 1 }
        return index > start
    }

    /// Whether a byte is a blank, a tab or a line end.
    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0a || byte == 0x09 || byte == 0x0d
    }

    /// A mistake at an offset.
    func mistake(_ code: PropertyListError.Code, _ message: String, at offset: Int) -> PropertyListError {
        PropertyListError(code, message, at: source.position(at: offset))
    }

    /// The mistake of a text that ends too early, at its end.
    func truncated(_ message: String) -> PropertyListError {
        mistake(.truncated, message, at: bytes.count)
    }
}
