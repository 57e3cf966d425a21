extension JSONTokenizer {
    /// Reads a string; its opening quote is the next byte.
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
            case 0x0a where !isLenient, 0x0d where !isLenient:
                throw error(
                    "this string has no closing quote on its line; a line break in a string is written \\n", at: start)
            case 0x00..<0x20 where !isLenient:
                throw error(
                    "a control character in a string is written as an escape, \(JSONTokenizer.escape(for: byte))",
                    at: offset)
            default:
                content.append(byte)
                offset += 1
            }
        }
        throw unterminatedString(start)
    }

    /// Reads an escape; its backslash is the next byte.
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
        case UInt8(ascii: "v") where isLenient: return "\u{b}"
        case UInt8(ascii: "x") where isLenient:
            return Unicode.Scalar(try codeUnit(of: 2, at: place, openedAt: start)) ?? "\u{fffd}"
        default:
            throw error(
                "this is no escape of JSON; a backslash itself is written \\\\, and a character by its number as "
                    + "\\u with four hexadecimal digits", at: place)
        }
    }

    /// Reads the digits of a `\u` escape, and a second escape if the first is half of a surrogate pair.
    private mutating func unicodeEscape(
        at place: Int, openedAt start: Int
    ) throws(PropertyListError) -> Unicode.Scalar {
        let lead = try codeUnit(of: 4, at: place, openedAt: start)
        if let scalar = Unicode.Scalar(lead) { return scalar }
        guard UTF16.isLeadSurrogate(lead), next == UInt8(ascii: "\\"), offset + 1 < utf8.count,
            utf8[offset + 1] == UInt8(ascii: "u")
        else {
            throw error(
                .encoding, "this escape is half of a surrogate pair, and the other half is missing", at: place)
        }
        let second = offset
        offset += 2
        let trail = try codeUnit(of: 4, at: second, openedAt: start)
        guard UTF16.isTrailSurrogate(trail) else {
            throw error(
                .encoding, "this escape is half of a surrogate pair, and the other half is missing", at: place)
        }
        return UTF16.decode(UTF16.EncodedScalar([lead, trail]))
    }

    /// Reads hexadecimal digits.
    private mutating func codeUnit(
        of digits: Int, at place: Int, openedAt start: Int
    ) throws(PropertyListError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<digits {
            guard let byte = next else { throw unterminatedString(start) }
            guard byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error(
                    digits == 4
                        ? "\\u is followed by four hexadecimal digits" : "\\x is followed by two hexadecimal digits",
                    at: place)
            }
            unit = unit << 4 | UInt16(digit)
            offset += 1
        }
        return unit
    }

    /// The error for a string without an end.
    private func unterminatedString(_ start: Int) -> PropertyListError {
        error(.truncated, "the text ends, but this string has no closing quote", at: start)
    }

    /// The escape of a control character.
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

extension JSONTokenizer {
    /// Reads a number; its minus sign or first digit is the next byte.
    ///
    /// - Throws: `number` if it is malformed or out of range.
    mutating func number() throws(PropertyListError) -> JSONToken.Kind {
        let start = offset
        if next == UInt8(ascii: "-") { offset += 1 }
        let digits = offset
        try skipDigits("a minus sign is followed by digits", from: start)
        if utf8[digits] == UInt8(ascii: "0"), offset - digits > 1 {
            throw error(.number, "a number does not begin with 0 and another digit", at: start)
        }
        var isReal = false
        if next == UInt8(ascii: ".") {
            isReal = true
            offset += 1
            try skipDigits("a decimal point is followed by digits", from: start)
        }
        if let byte = next, byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            isReal = true
            offset += 1
            if let sign = next, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { offset += 1 }
            try skipDigits("the e of a number is followed by the digits of its exponent", from: start)
        }
        if let byte = next, JSONTokenizer.isWordByte(byte) || byte == UInt8(ascii: ".") {
            let isHexadecimal = byte | 0x20 == UInt8(ascii: "x")
            throw error(
                .number,
                isHexadecimal ? "a number is written in decimal digits" : "this does not belong to the number before",
                at: offset)
        }
        if isReal { return .real(try real(start..<offset)) }
        do {
            return .integer(try integer(start..<offset))
        } catch {
            guard isLenient else { throw error }
            return .real(try real(start..<offset))
        }
    }

    /// Skips at least one digit.
    private mutating func skipDigits(_ message: String, from start: Int) throws(PropertyListError) {
        let first = offset
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
        if offset > first { return }
        if utf8[first...].starts(with: "Infinity".utf8) {
            throw error(.number, "-Infinity is no number of JSON; write {\"$real\":\"-inf\"}", at: start)
        }
        throw error(.number, message, at: start)
    }

    /// The value of a well-formed number that is no integer.
    private func real(_ range: Range<Int>) throws(PropertyListError) -> Double {
        guard let value = Double(String(decoding: utf8[range], as: UTF8.self)), value.isFinite else {
            throw error(
                .number, "the number is too large for a real, which ends at about 1.8e308", at: range.lowerBound)
        }
        return value
    }

    /// The value of a well-formed integer.
    private func integer(_ range: Range<Int>) throws(PropertyListError) -> Integer {
        let isNegative = utf8[range.lowerBound] == UInt8(ascii: "-")
        var magnitude: UInt64 = 0
        var overflows = false
        for byte in utf8[range].dropFirst(isNegative ? 1 : 0) where !overflows {
            let (product, first) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, second) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
            magnitude = sum
            overflows = first || second
        }
        if !overflows, !isNegative { return Integer(magnitude) }
        guard !overflows, magnitude <= UInt64(Int64.max) + 1 else {
            throw error(
                .number,
                "the integer is out of range: -9223372036854775808 to 18446744073709551615; with .0 it is a real",
                at: range.lowerBound)
        }
        return Integer(Int64(truncatingIfNeeded: 0 &- magnitude))
    }
}
