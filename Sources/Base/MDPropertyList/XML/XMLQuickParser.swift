/// Reads the entries of an XML dictionary in the layout of CoreFoundation and ``XMLWriter``.
///
/// Any other layout or spelling, including errors, gives `nil`; then ``XMLReader`` reads the file, with positions and
/// messages. It reads everything that is accepted here as the same value and without a warning. No function recurses
/// deeper than ``maximumDepth``.
///
/// A file of 1,000 keys is read in 0.39 ms, by ``XMLReader`` in 0.96 ms, of 1.8 ms that a new process needs to open its
/// defaults (`Tests/Benchmarks/run cold`). The offsets of the entries let ``XMLDictionaryText`` change one key in
/// 3 µs and follow another writer in 18 µs, where writing or reading the whole file takes 1 ms.
enum XMLQuickParser {
    /// The maximum number of nested arrays and dictionaries that are read here.
    static let maximumDepth = 64

    /// Reads `<tab><key>…</key>`, its value, and the line end after each.
    ///
    /// - Parameters:
    ///   - text: the whole file.
    ///   - index: the offset of the entry; afterwards that of the next one.
    /// - Returns: key and value; `nil` if something else comes next.
    static func entry(_ text: Span<UInt8>, _ index: inout Int) -> (key: Key, value: Value)? {
        guard skip("\t<key>", text, &index), let key = string(text, &index), skip("</key>\n\t", text, &index),
            let value = value(text, &index, depth: 2), skip("\n", text, &index)
        else { return nil }
        return (Key(key), value)
    }

    /// Skips a literal, and returns whether it was there.
    @inline(__always)
    static func skip(_ literal: StaticString, _ text: Span<UInt8>, _ index: inout Int) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard text.count - index >= count else { return false }
        for offset in 0..<count {
            // A static string has `utf8CodeUnitCount` bytes and lives as long as the process.
            guard unsafe text[index + offset] == literal.utf8Start[offset] else { return false }
        }
        index += count
        return true
    }

    /// Skips blanks, tabs and line ends.
    private static func skipBlanks(_ text: Span<UInt8>, _ index: inout Int) {
        while index < text.count, TextScanner.isBlank(text[index]) { index += 1 }
    }

    /// Reads a value; the offset is after the blanks.
    private static func value(_ text: Span<UInt8>, _ index: inout Int, depth: Int) -> Value? {
        guard index + 1 < text.count, text[index] == UInt8(ascii: "<") else { return nil }
        switch text[index + 1] {
        case UInt8(ascii: "s"):
            guard skip("<string>", text, &index), let string = string(text, &index), skip("</string>", text, &index)
            else { return nil }
            return .string(string)
        case UInt8(ascii: "t"): return skip("<true/>", text, &index) ? .boolean(true) : nil
        case UInt8(ascii: "f"): return skip("<false/>", text, &index) ? .boolean(false) : nil
        case UInt8(ascii: "i"):
            guard skip("<integer>", text, &index), let integer = integer(text, &index),
                skip("</integer>", text, &index)
            else { return nil }
            return .integer(Integer(integer))
        case UInt8(ascii: "r"):
            guard skip("<real>", text, &index), let range = raw(text, &index), skip("</real>", text, &index),
                range.count <= 40, let real = DecimalReal.parse(ascii(text, range)), real.isFinite
            else { return nil }
            return .real(real)
        case UInt8(ascii: "d"):
            if skip("<date>", text, &index) {
                guard let range = raw(text, &index), skip("</date>", text, &index), range.count == 20,
                    let seconds = CalendarDate.parse(iso8601: bytes(text, range))
                else { return nil }
                return .date(seconds)
            }
            if skip("<data>", text, &index) {
                guard let range = raw(text, &index), skip("</data>", text, &index),
                    let bytes = try? Base64.decode(bytes(text, range)[...], ignoringWhitespace: true)
                else { return nil }
                return .data(bytes)
            }
            return dictionary(text, &index, depth: depth)
        case UInt8(ascii: "a"): return array(text, &index, depth: depth)
        default: return nil
        }
    }

    /// Reads an array.
    private static func array(_ text: Span<UInt8>, _ index: inout Int, depth: Int) -> Value? {
        if skip("<array/>", text, &index) { return .array([]) }
        guard depth <= maximumDepth, skip("<array>", text, &index) else { return nil }
        var elements: [Value] = []
        while true {
            skipBlanks(text, &index)
            if skip("</array>", text, &index) { return .array(elements) }
            guard let element = value(text, &index, depth: depth + 1) else { return nil }
            elements.append(element)
        }
    }

    /// Reads a dictionary; one with a duplicate key is left to the strict reader, which warns.
    private static func dictionary(_ text: Span<UInt8>, _ index: inout Int, depth: Int) -> Value? {
        if skip("<dict/>", text, &index) { return .dictionary([:]) }
        guard depth <= maximumDepth, skip("<dict>", text, &index) else { return nil }
        var entries: [Key: Value] = [:]
        while true {
            skipBlanks(text, &index)
            if skip("</dict>", text, &index) { return .dictionary(entries) }
            guard skip("<key>", text, &index), let key = string(text, &index), skip("</key>", text, &index)
            else { return nil }
            skipBlanks(text, &index)
            guard let value = value(text, &index, depth: depth + 1),
                entries.updateValue(value, forKey: Key(key)) == nil
            else { return nil }
        }
    }

    /// Reads a whole number of at most 18 digits.
    private static func integer(_ text: Span<UInt8>, _ index: inout Int) -> Int64? {
        let isNegative = index < text.count && text[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        var magnitude: Int64 = 0
        let start = index
        while index < text.count, index - start < 18, text[index] &- UInt8(ascii: "0") < 10 {
            magnitude = magnitude * 10 + Int64(text[index] &- UInt8(ascii: "0"))
            index += 1
        }
        guard index > start else { return nil }
        return isNegative ? -magnitude : magnitude
    }

    /// Skips ASCII up to the next `<`; `nil` if there is none, or anything but ASCII before it.
    private static func raw(_ text: Span<UInt8>, _ index: inout Int) -> Range<Int>? {
        let start = index
        while index < text.count {
            let byte = text[index]
            if byte == UInt8(ascii: "<") { return start..<index }
            guard byte < 0x80 else { return nil }
            index += 1
        }
        return nil
    }

    /// The bytes of a range.
    private static func bytes(_ text: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        for index in range { bytes.append(text[index]) }
        return bytes
    }

    /// The text of a range of ASCII.
    private static func ascii(_ text: Span<UInt8>, _ range: Range<Int>) -> String {
        String(decoding: bytes(text, range), as: UTF8.self)
    }

    /// Reads the text of `<string>` or `<key>` up to its closing tag.
    private static func string(_ text: Span<UInt8>, _ index: inout Int) -> String? {
        let start = index
        while index < text.count {
            let byte = text[index]
            // Letters and most other characters are above `>`, the last special character.
            if byte > UInt8(ascii: ">"), byte != 0xef {
                index += 1
                continue
            }
            switch byte {
            case UInt8(ascii: "<"): return string(text, start..<index)
            case UInt8(ascii: "&"): return escapedString(text, &index, from: start)
            default: guard isPlain(byte, text, index) else { return nil }
            }
            index += 1
        }
        return nil
    }

    /// Whether a byte other than `<` and `&` represents itself: no `>`, control character, U+FFFE or U+FFFF.
    private static func isPlain(_ byte: UInt8, _ text: Span<UInt8>, _ index: Int) -> Bool {
        if byte == UInt8(ascii: ">") { return false }
        if byte == 0xef { return index + 1 < text.count && text[index + 1] != 0xbf }
        return byte >= 0x20 || TextScanner.isBlank(byte)
    }

    /// The text of a range, or `nil` if it is not UTF-8.
    private static func string(_ text: Span<UInt8>, _ range: Range<Int>) -> String? {
        guard let valid = try? UTF8Span(validating: text.extracting(range)) else { return nil }
        return String(copying: valid)
    }

    /// Reads the text of `<string>` or `<key>` that has references.
    private static func escapedString(_ text: Span<UInt8>, _ index: inout Int, from start: Int) -> String? {
        var decoded = bytes(text, start..<index)
        while index < text.count {
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "<"): return String(validating: decoded, as: UTF8.self)
            case UInt8(ascii: "&"):
                if skip("&lt;", text, &index) {
                    decoded.append(UInt8(ascii: "<"))
                } else if skip("&gt;", text, &index) {
                    decoded.append(UInt8(ascii: ">"))
                } else if skip("&amp;", text, &index) {
                    decoded.append(UInt8(ascii: "&"))
                } else if skip("&#13;", text, &index) {
                    decoded.append(0x0d)
                } else {
                    return nil
                }
            default:
                guard isPlain(byte, text, index) else { return nil }
                decoded.append(byte)
                index += 1
            }
        }
        return nil
    }
}
