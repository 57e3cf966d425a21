extension JSONTokenizer {
    /// Takes a string, whose opening quote is the next byte.
    mutating func string() throws(PropertyListError) -> String {
        let start = offset
        offset += 1
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { offset += 1 }
        if next == UInt8(ascii: "\"") {
            offset += 1
            return String(decoding: utf8[(start + 1)..<(offset - 1)], as: UTF8.self)
        }
        var content = Array(utf8[(start + 1)..<offset])
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                let scalar = try escape(openedAt: start)
                content.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            case 0x0a, 0x0d:
                throw mistake(
                    "this string has no closing quote on its line; a line break in a string is written \\n", at: start)
            case 0x00..<0x20:
                throw mistake(
                    "a control character in a string is written as an escape, \(JSONTokenizer.escape(for: byte))",
                    at: offset)
            default:
                content.append(byte)
                offset += 1
            }
        }
        throw unterminatedString(start)
    }

    /// Takes an escape, whose backslash is the next byte.
    private mutating func escape(openedAt start: Int) throws(PropertyListError) -> Unicode.Scalar {
        let place = offset
        offset += 1
        guard let byte = next else { throw unterminatedString(start) }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "u"): return try unicodeEscape(at: place, openedAt: start)
        default:
            throw mistake(
                "this is no escape of JSON; a backslash itself is written \\\\, and a character by its number as "
                    + "\\u with four hexadecimal digits", at: place)
        }
    }

    /// Takes the digits of a `\u` escape, and a second escape where the first is half of a surrogate pair.
    private mutating func unicodeEscape(
        at place: Int, openedAt start: Int
    ) throws(PropertyListError) -> Unicode.Scalar {
        let lead = try codeUnit(at: place, openedAt: start)
        if let scalar = Unicode.Scalar(lead) { return scalar }
        guard UTF16.isLeadSurrogate(lead), next == UInt8(ascii: "\\"), offset + 1 < utf8.count,
            utf8[offset + 1] == UInt8(ascii: "u")
        else {
            throw mistake(
                .encoding, "this escape is half of a surrogate pair, and the other half is missing", at: place)
        }
        let second = offset
        offset += 2
        let trail = try codeUnit(at: second, openedAt: start)
        guard UTF16.isTrailSurrogate(trail) else {
            throw mistake(
                .encoding, "this escape is half of a surrogate pair, and the other half is missing", at: place)
        }
        return UTF16.decode(UTF16.EncodedScalar([lead, trail]))
    }

    /// Takes four hexadecimal digits.
    private mutating func codeUnit(at place: Int, openedAt start: Int) throws(PropertyListError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next else { throw unterminatedString(start) }
            guard byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw mistake("\\u is followed by four hexadecimal digits", at: place)
            }
            unit = unit << 4 | UInt16(digit)
            offset += 1
        }
        return unit
    }

    /// The mistake of a string that the text ends in.
    private func unterminatedString(_ start: Int) -> PropertyListError {
        mistake(.truncated, "the text ends, but this string has no closing quote", at: start)
    }

    /// How a control character is written.
    private static func escape(for byte: UInt8) -> String {
        switch byte {
        case 0x09: return "\\t"
        case 0x08: return "\\b"
        case 0x0c: return "\\f"
        default:
            let digits = String(byte, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        }
    }
}
