/// Reads the entries of an XML dictionary in the one layout that CoreFoundation and ``XMLWriter`` give them.
///
/// Whatever is laid out or written differently, a mistake included, gives `nil`: then ``XMLReader`` decides, which knows
/// places and messages. What is read here reads there as the same value and without a warning. No function recurses
/// deeper than ``maximumDepth``.
enum XMLQuickParser {
    /// The most nested arrays and dictionaries that are read here.
    static let maximumDepth = 64

    /// Reads `<tab><key>…</key>`, its value, and the line end after each.
    ///
    /// - Parameters:
    ///   - text: the whole file.
    ///   - index: where the entry begins, and then where the next one does.
    /// - Returns: key and value; `nil` where something else stands there.
    static func entry(_ text: Span<UInt8>, _ index: inout Int) -> (key: Key, value: Value)? {
        guard take("\t<key>", text, &index), let key = string(text, &index), take("</key>\n\t", text, &index),
            let value = value(text, &index, depth: 2), take("\n", text, &index)
        else { return nil }
        return (Key(key), value)
    }

    /// Steps over a literal, and says whether it was there.
    @inline(__always)
    static func take(_ literal: StaticString, _ text: Span<UInt8>, _ index: inout Int) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard text.count - index >= count else { return false }
        for offset in 0..<count {
            // A static string has `utf8CodeUnitCount` bytes and lives as long as the process.
            guard unsafe text[index + offset] == literal.utf8Start[offset] else { return false }
        }
        index += count
        return true
    }

    /// Steps over blanks, tabs and line ends.
    private static func skipBlanks(_ text: Span<UInt8>, _ index: inout Int) {
        while index < text.count, TextScanner.isBlank(text[index]) { index += 1 }
    }

    /// Reads a value; the offset is behind the blanks before it.
    private static func value(_ text: Span<UInt8>, _ index: inout Int, depth: Int) -> Value? {
        guard index + 1 < text.count, text[index] == UInt8(ascii: "<") else { return nil }
        switch text[index + 1] {
        case UInt8(ascii: "s"):
            guard take("<string>", text, &index), let string = string(text, &index), take("</string>", text, &index)
            else { return nil }
            return .string(string)
        case UInt8(ascii: "t"): return take("<true/>", text, &index) ? .boolean(true) : nil
        case UInt8(ascii: "f"): return take("<false/>", text, &index) ? .boolean(false) : nil
        case UInt8(ascii: "i"):
            guard take("<integer>", text, &index), let integer = integer(text, &index),
                take("</integer>", text, &index)
            else { return nil }
            return .integer(Integer(integer))
        case UInt8(ascii: "r"):
            guard take("<real>", text, &index), let range = raw(text, &index), take("</real>", text, &index),
                range.count <= 40, let real = DecimalReal.parse(ascii(text, range)), real.isFinite
            else { return nil }
            return .real(real)
        case UInt8(ascii: "d"):
            if take("<date>", text, &index) {
                guard let range = raw(text, &index), take("</date>", text, &index), range.count == 20,
                    let seconds = CalendarDate.parse(iso8601: bytes(text, range))
                else { return nil }
                return .date(seconds)
            }
            if take("<data>", text, &index) {
                guard let range = raw(text, &index), take("</data>", text, &index),
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
        if take("<array/>", text, &index) { return .array([]) }
        guard depth <= maximumDepth, take("<array>", text, &index) else { return nil }
        var elements: [Value] = []
        while true {
            skipBlanks(text, &index)
            if take("</array>", text, &index) { return .array(elements) }
            guard let element = value(text, &index, depth: depth + 1) else { return nil }
            elements.append(element)
        }
    }

    /// Reads a dictionary; one in which a key stands twice is left to the strict reader, which warns.
    private static func dictionary(_ text: Span<UInt8>, _ index: inout Int, depth: Int) -> Value? {
        if take("<dict/>", text, &index) { return .dictionary([:]) }
        guard depth <= maximumDepth, take("<dict>", text, &index) else { return nil }
        var entries: [Key: Value] = [:]
        while true {
            skipBlanks(text, &index)
            if take("</dict>", text, &index) { return .dictionary(entries) }
            guard take("<key>", text, &index), let key = string(text, &index), take("</key>", text, &index)
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

    /// Steps over ASCII up to the next `<`; `nil` where there is none, or anything but ASCII before it.
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
            // Letters and most else are above `>`, the last of the characters that mean something.
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

    /// Whether a byte that is neither `<` nor `&` stands for itself: no `>`, control character, U+FFFE or U+FFFF.
    private static func isPlain(_ byte: UInt8, _ text: Span<UInt8>, _ index: Int) -> Bool {
        if byte == UInt8(ascii: ">") { return false }
        if byte == 0xef { return index + 1 < text.count && text[index + 1] != 0xbf }
        return byte >= 0x20 || TextScanner.isBlank(byte)
    }

    /// The text of a range, or `nil` where it is no UTF-8.
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
                if take("&lt;", text, &index) {
                    decoded.append(UInt8(ascii: "<"))
                } else if take("&gt;", text, &index) {
                    decoded.append(UInt8(ascii: ">"))
                } else if take("&amp;", text, &index) {
                    decoded.append(UInt8(ascii: "&"))
                } else if take("&#13;", text, &index) {
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
