/// Writes property lists in the XML encoding, in CoreFoundation's layout: tabs, keys sorted by their bytes.
///
/// The output reads back as the same value, with one exception: dates in XML have whole seconds, so fractions are
/// rounded down. On request the writer adds the exact seconds in a processing instruction after the date, which
/// ``XMLReader`` reads and other readers skip. Carriage returns are written as `&#13;`, because other readers convert
/// them into line feeds.
package struct XMLWriter {
    /// The text before the value.
    static let opening = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">

        """

    /// The text so far.
    var output = TextOutput()
    /// Whether the exact seconds follow a date with a fraction of a second.
    let isExact: Bool

    /// Makes a writer of an empty text.
    init(isExact: Bool = false) {
        self.isExact = isExact
    }

    /// The beginning of the instruction with the exact seconds since 2001 of the date before it.
    static let exactDate = "<?seconds-since-2001 "

    /// Writes a value.
    ///
    /// - Parameters:
    ///   - value: the root.
    ///   - isExact: whether to preserve fractions of seconds for ``XMLReader``.
    /// - Returns: the text as UTF-8, with a line end after its last line.
    /// - Throws: `syntax` for a string with a character that XML cannot hold, `date` outside of the years 0 to 9999,
    ///   `tooDeep` for more nested containers than the readers accept. The message names the path of keys.
    package static func write(_ value: Value, exact isExact: Bool = false) throws(PropertyListError) -> [UInt8] {
        var writer = XMLWriter(isExact: isExact)
        writer.output.write(opening)
        var path = ValuePath()
        try writer.write(value, indent: 0, &path)
        writer.output.write("</plist>\n")
        return writer.output.bytes
    }

    /// Writes a value with its indentation and line end.
    private mutating func write(_ value: Value, indent: Int, _ path: inout ValuePath) throws(PropertyListError) {
        output.write(UInt8(ascii: "\t"), times: indent)
        switch value {
        case .string(let text): try write(text, in: .string, &path)
        case .boolean(let value): output.write(value ? "<true/>\n" : "<false/>\n")
        case .integer(let value): output.write("<integer>\(value)</integer>\n")
        case .real(let value): output.write("<real>\(DecimalReal.text(of: value))</real>\n")
        case .date(let seconds):
            guard let text = CalendarDate.iso8601(seconds) else {
                throw path.error(.date, "a date is outside of the years 0 to 9999")
            }
            let isFraction = isExact && seconds != seconds.rounded(.down)
            output.write("<date>\(text)</date>\(isFraction ? "\(XMLWriter.exactDate)\(seconds)?>" : "")\n")
        case .data(let bytes): write(bytes, indent: indent)
        case .array, .dictionary:
            guard indent < Limits.standard.depth else {
                throw path.error(
                    .tooDeep, "arrays and dictionaries are nested more than \(Limits.standard.depth) deep")
            }
            if case .array(let elements) = value { try write(elements, indent: indent, &path) }
            if case .dictionary(let entries) = value { try write(entries, indent: indent, &path) }
        }
    }

    /// Writes an array.
    private mutating func write(_ elements: [Value], indent: Int, _ path: inout ValuePath) throws(PropertyListError) {
        guard !elements.isEmpty else {
            output.write("<array/>\n")
            return
        }
        output.write("<array>\n")
        for (index, element) in elements.enumerated() {
            path.enter(index: index)
            try write(element, indent: indent + 1, &path)
            path.leave()
        }
        output.write(UInt8(ascii: "\t"), times: indent)
        output.write("</array>\n")
    }

    /// Writes a dictionary.
    private mutating func write(
        _ entries: [Key: Value], indent: Int, _ path: inout ValuePath
    ) throws(PropertyListError) {
        guard !entries.isEmpty else {
            output.write("<dict/>\n")
            return
        }
        output.write("<dict>\n")
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            try write(key: key, value, indent: indent + 1, &path)
        }
        output.write(UInt8(ascii: "\t"), times: indent)
        output.write("</dict>\n")
    }

    /// Writes a key of a dictionary and its value.
    mutating func write(
        key: Key, _ value: Value, indent: Int, _ path: inout ValuePath
    ) throws(PropertyListError) {
        path.enter(key: key)
        output.write(UInt8(ascii: "\t"), times: indent)
        try write(key.string, in: .key, &path)
        try write(value, indent: indent, &path)
        path.leave()
    }

    /// Writes base64 in lines up to column 76, a tab counting as eight, but with at least 16 characters.
    private mutating func write(_ bytes: [UInt8], indent: Int) {
        output.write("<data>\n")
        let perLine = max(16, 76 - indent * 8) / 4 * 3
        var start = 0
        while start < bytes.count {
            let end = min(start + perLine, bytes.count)
            output.write(UInt8(ascii: "\t"), times: indent)
            output.write(Base64.encode(Array(bytes[start..<end])))
            output.write(UInt8(ascii: "\n"))
            start = end
        }
        output.write(UInt8(ascii: "\t"), times: indent)
        output.write("</data>\n")
    }

    /// Writes a text element, with references for special characters.
    private mutating func write(
        _ text: String, in element: XMLElement, _ path: inout ValuePath
    ) throws(PropertyListError) {
        output.write(element.tag)
        // Most texts are plain and are written in one piece.
        if text.utf8.contains(where: XMLWriter.isEscaped) {
            for byte in text.utf8 {
                switch byte {
                case UInt8(ascii: "&"): output.write("&amp;")
                case UInt8(ascii: "<"): output.write("&lt;")
                case UInt8(ascii: ">"): output.write("&gt;")
                case 0x0d: output.write("&#13;")
                default: output.write(byte)
                }
            }
        } else {
            output.write(text)
        }
        output.write(element.closingTag)
        output.write(UInt8(ascii: "\n"))
        // Bytes below 0x20 and the lead byte of U+FFFE are rare; only if there is one, all scalars are checked.
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0xef }) else { return }
        if let scalar = text.unicodeScalars.first(where: { !XMLParser.isCharacter($0) }) {
            throw path.error(.syntax, "XML cannot hold the character \(Excerpt.codePoint(scalar))")
        }
    }

    /// Whether a byte is written as a reference.
    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "&") || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") || byte == 0x0d
    }
}
