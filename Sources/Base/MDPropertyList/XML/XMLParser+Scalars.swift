extension XMLParser {
    /// Reads the content of a value without parts, which begins at `offset`, with its closing tag.
    ///
    /// If `isEmpty`, the opening tag was `<name/>`, so there is neither content nor closing tag.
    mutating func readScalar(
        _ element: XMLElement, isEmpty: Bool, at offset: Int
    ) throws(PropertyListError) -> Value {
        if element == .string { return .string(isEmpty ? "" : try readText(in: .string, at: offset)) }
        let range = isEmpty ? scanner.index..<scanner.index : try readRaw(in: element, at: offset)
        let content = trimmed(range)
        guard isTolerant else { return try scalar(element, content, at: offset) }
        do {
            return try scalar(element, content, at: offset)
        } catch {
            // Computing each position costs time, and a file with so many errors is useless.
            guard unreadable.count < XMLParser.maximumUnreadable else { throw error }
            unreadable[offset] = error
            return .string(scanner.string(content))
        }
    }

    /// The maximum number of invalid scalars in a tolerant reading.
    private static let maximumUnreadable = 1000

    /// The value of an element without references and markup, which begins at `offset`.
    private mutating func scalar(
        _ element: XMLElement, _ content: Range<Int>, at offset: Int
    ) throws(PropertyListError) -> Value {
        switch element {
        case .integer: return .integer(try integer(content, at: offset))
        case .real: return .real(try real(content, at: offset))
        case .date:
            guard let seconds = CalendarDate.parse(iso8601: scanner.bytes[content]) else {
                throw scanner.error(
                    .date, "\(subject(content)) is no date; dates are written 2026-11-20T08:00:00Z",
                    at: content.isEmpty ? offset : content.lowerBound)
            }
            return .date(exactSeconds(from: seconds))
        case .data:
            do throws(Base64.FormatError) {
                return .data(try Base64.decode(scanner.bytes[content], ignoringWhitespace: true))
            } catch {
                throw scanner.error(.data, "\(error.message) (in <data>)", at: content.lowerBound + error.offset)
            }
        default:
            guard content.isEmpty else {
                throw scanner.error(.syntax, "\(element.tag) holds no text", at: content.lowerBound)
            }
            return .boolean(element == .true)
        }
    }

    /// Reads the exact seconds that ``XMLWriter`` wrote after a date, if they are there.
    ///
    /// Seconds that do not agree with the date are skipped later, as any other instruction.
    private mutating func exactSeconds(from seconds: Double) -> Double {
        guard scanner.isAt(XMLWriter.exactDate) else { return seconds }
        let start = scanner.index + XMLWriter.exactDate.utf8.count
        var end = start
        // The longest Double that Swift writes has 24 characters.
        while end < start + 24, let byte = scanner.byte(ahead: end - scanner.index), byte != UInt8(ascii: "?") {
            end += 1
        }
        guard scanner.byte(ahead: end - scanner.index) == UInt8(ascii: "?"),
            scanner.byte(ahead: end + 1 - scanner.index) == UInt8(ascii: ">"),
            let exact = DecimalReal.parse(scanner.string(start..<end)), exact.rounded(.down) == seconds
        else { return seconds }
        scanner.index = end + 2
        return exact
    }

    /// Reads content that has neither references nor markup, with its closing tag.
    private mutating func readRaw(in element: XMLElement, at offset: Int) throws(PropertyListError) -> Range<Int> {
        try skipComments(in: element)
        let start = scanner.index
        while let byte = scanner.current, byte != UInt8(ascii: "<") { scanner.index += 1 }
        let end = scanner.index
        try skipComments(in: element)
        guard !scanner.isAtEnd, scanner.byte(ahead: 1) != nil else {
            throw scanner.truncated(
                "the file ends within \(element.tag), which begins at \(scanner.source.position(at: offset))")
        }
        guard scanner.current == UInt8(ascii: "<"), scanner.byte(ahead: 1) == UInt8(ascii: "/") else {
            throw scanner.error(.syntax, "no other markup can stand within \(element.tag)", at: end)
        }
        try expectClosingTag(of: element, at: offset)
        return start..<end
    }

    /// Skips blanks and comments around the text of a value, in a tolerant reading.
    private mutating func skipComments(in element: XMLElement) throws(PropertyListError) {
        guard isTolerant else { return }
        repeat { scanner.skipBlanks() } while try skipTextComment(in: element)
    }

    /// The range without the blanks at both ends.
    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, TextScanner.isBlank(scanner.bytes[start]) { start += 1 }
        while start < end, TextScanner.isBlank(scanner.bytes[end - 1]) { end -= 1 }
        return start..<end
    }

    /// What a message calls the content of a range; it names the place and never the value, which may be a secret.
    private func subject(_ range: Range<Int>) -> String { range.isEmpty ? "an empty text" : "this" }

    /// The whole number of a range: decimal, or hexadecimal after `0x`, with an optional sign.
    private func integer(_ range: Range<Int>, at offset: Int) throws(PropertyListError) -> Integer {
        let place = range.isEmpty ? offset : range.lowerBound
        let text = scanner.bytes[range]
        let isNegative = text.first == UInt8(ascii: "-")
        var digits = isNegative || text.first == UInt8(ascii: "+") ? text.dropFirst() : text
        let isHexadecimal = digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8)
        if isHexadecimal { digits = digits.dropFirst(2) }
        var magnitude: UInt64 = 0
        var fits = true
        for byte in digits {
            guard let digit = Hexadecimal.digit(byte), isHexadecimal || digit < 10 else {
                throw scanner.error(.number, "\(subject(range)) is no whole number", at: place)
            }
            let (shifted, tooLarge) = magnitude.multipliedReportingOverflow(by: isHexadecimal ? 16 : 10)
            let (sum, overflow) = shifted.addingReportingOverflow(UInt64(digit))
            if tooLarge || overflow { fits = false }
            magnitude = sum
        }
        guard !digits.isEmpty else {
            throw scanner.error(.number, "\(subject(range)) is no whole number", at: place)
        }
        let lowest = UInt64(1) << 63
        guard fits, !isNegative || magnitude <= lowest else {
            throw scanner.error(.number, "\(subject(range)) does not fit into 64 bits", at: place)
        }
        return isNegative ? Integer(Int64(truncatingIfNeeded: 0 &- magnitude)) : Integer(magnitude)
    }

    /// The floating-point number of a range, in decimal, or one of the names of infinity and NaN.
    private func real(_ range: Range<Int>, at offset: Int) throws(PropertyListError) -> Double {
        let place = range.isEmpty ? offset : range.lowerBound
        let text = scanner.string(range)
        guard range.count <= 10_000, let value = DecimalReal.parse(text) else {
            throw scanner.error(.number, "\(subject(range)) is no number", at: place)
        }
        guard value.isFinite || DecimalReal.names[text.lowercased()] != nil else {
            throw scanner.error(.number, "\(subject(range)) does not fit into 64 bits", at: place)
        }
        return value
    }
}
