/// Scans the bytes of a text, and makes errors with their positions.
struct TextScanner {
    /// The text, which computes lines and columns.
    let source: SourceText
    /// The text's bytes.
    let bytes: [UInt8]
    /// The offset of the next byte.
    var index = 0

    /// Makes a scanner at the beginning of a text.
    ///
    /// - Throws: `tooLarge` if the text has more bytes than `limits` allows.
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

    /// The next byte, or `nil` at the end.
    var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// The byte at a distance ahead, or `nil` past the end.
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

    /// Skips a byte, and returns whether it was there.
    mutating func skip(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    /// Whether a literal comes next.
    func isAt(_ literal: String) -> Bool {
        bytes[min(index, bytes.count)...].starts(with: literal.utf8)
    }

    /// Whether the text ends with a proper prefix of a literal.
    func endsWithin(_ literal: String) -> Bool {
        let rest = bytes[min(index, bytes.count)...]
        return rest.count < literal.utf8.count && literal.utf8.starts(with: rest)
    }

    /// Skips a literal, and returns whether it was there.
    mutating func skip(_ literal: String) -> Bool {
        guard isAt(literal) else { return false }
        index += literal.utf8.count
        return true
    }

    /// Skips blanks, tabs and line ends, and returns whether there were any.
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

    /// An error at an offset.
    func error(_ code: PropertyListError.Code, _ message: String, at offset: Int) -> PropertyListError {
        PropertyListError(code, message, at: source.position(at: offset))
    }

    /// The error for a text that ends too early, at its end.
    func truncated(_ message: String) -> PropertyListError {
        error(.truncated, message, at: bytes.count)
    }
}
