extension OpenStepParser {
    /// Skips blanks, line ends and both kinds of comments.
    mutating func skipBlanksAndComments() throws(PropertyListError) {
        while let byte = scanner.current {
            if byte == 0x20 || (0x09...0x0d).contains(byte) {
                scanner.index += 1
            } else if byte == UInt8(ascii: "/"), scanner.byte(ahead: 1) == UInt8(ascii: "/") {
                while let byte = scanner.current, byte != 0x0a, byte != 0x0d { scanner.index += 1 }
            } else if byte == UInt8(ascii: "/"), scanner.byte(ahead: 1) == UInt8(ascii: "*") {
                try skipBlockComment()
            } else {
                return
            }
        }
    }

    /// Skips `/* … */`.
    private mutating func skipBlockComment() throws(PropertyListError) {
        let offset = scanner.index
        scanner.index += 2
        while let byte = scanner.current {
            scanner.index += 1
            if byte == UInt8(ascii: "*"), scanner.skip(UInt8(ascii: "/")) { return }
        }
        throw scanner.truncated(
            "the file ends within the comment that begins at \(scanner.source.position(at: offset))")
    }

    /// Whether a string can begin with a byte.
    static func beginsString(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || isWordByte(byte)
    }

    /// Whether a byte is allowed in a string without quotation marks.
    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "/"),
            UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Reads a string, which begins here, with or without quotation marks.
    mutating func readString() throws(PropertyListError) -> String {
        let start = scanner.index
        if let quote = scanner.current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            return try readQuoted(quote)
        }
        while let byte = scanner.current, OpenStepParser.isWordByte(byte) { scanner.index += 1 }
        return scanner.string(start..<scanner.index)
    }

    /// Reads a string in quotation marks of one kind.
    private mutating func readQuoted(_ quote: UInt8) throws(PropertyListError) -> String {
        let offset = scanner.index
        scanner.index += 1
        var decoded: [UInt8] = []
        var start = scanner.index
        while let byte = scanner.current {
            if byte == quote {
                let end = scanner.index
                scanner.index += 1
                if decoded.isEmpty { return scanner.string(start..<end) }
                decoded += scanner.bytes[start..<end]
                return String(decoding: decoded, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") {
                decoded += scanner.bytes[start..<scanner.index]
                decoded += String(Character(try readEscape())).utf8
                start = scanner.index
            } else if byte < 0x20, !(0x09...0x0d).contains(byte) {
                throw scanner.error(
                    .syntax, "the character \(Excerpt.codePoint(Unicode.Scalar(byte))) needs an escape, as \\U0007",
                    at: scanner.index)
            } else {
                scanner.index += 1
            }
        }
        throw scanner.truncated("the file ends within the string that begins at \(scanner.source.position(at: offset))")
    }

    /// Reads an escape and returns its character.
    private mutating func readEscape() throws(PropertyListError) -> Unicode.Scalar {
        let offset = scanner.index
        scanner.index += 1
        guard let byte = scanner.current else { throw scanner.truncated("the file ends within an escape") }
        if (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(byte) { return try readOctal(at: offset) }
        scanner.index += 1
        switch byte {
        case UInt8(ascii: "a"): return "\u{07}"
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "v"): return "\u{0b}"
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), 0x0a: return Unicode.Scalar(byte)
        case UInt8(ascii: "U"): return try readUnicode(at: offset)
        default:
            let hint = byte == UInt8(ascii: "u") ? "; Unicode escapes have a capital letter, \\U00e9" : ""
            throw scanner.error(
                .syntax, "this escape is unknown; a backslash is written \\\\\(hint)", at: offset)
        }
    }

    /// Reads one to three octal digits, in the NextStep encoding.
    private mutating func readOctal(at offset: Int) throws(PropertyListError) -> Unicode.Scalar {
        var code = 0
        for _ in 0..<3 {
            guard let byte = scanner.current, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(byte) else { break }
            code = code * 8 + Int(byte - UInt8(ascii: "0"))
            scanner.index += 1
        }
        guard let byte = UInt8(exactly: code), let scalar = NextStepEncoding.scalar(byte) else {
            throw scanner.error(.syntax, "this octal escape stands for no character", at: offset)
        }
        return scalar
    }

    /// Reads the four digits after `\U`, and a second escape if the first is half of a surrogate pair.
    private mutating func readUnicode(at offset: Int) throws(PropertyListError) -> Unicode.Scalar {
        let lead = try readCodeUnit(at: offset)
        if let scalar = Unicode.Scalar(lead) { return scalar }
        if UTF16.isLeadSurrogate(lead) {
            if scanner.skip("\\U") {
                let trail = try readCodeUnit(at: offset)
                if UTF16.isTrailSurrogate(trail) { return UTF16.decode(UTF16.EncodedScalar([lead, trail])) }
            } else if scanner.endsWithin("\\U") {
                throw scanner.truncated("the file ends within an escape")
            }
        }
        throw scanner.error(
            .syntax, "this escape is half of a surrogate pair and stands for no character", at: offset)
    }

    /// Reads four hexadecimal digits.
    private mutating func readCodeUnit(at offset: Int) throws(PropertyListError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = scanner.current else { throw scanner.truncated("the file ends within an escape") }
            guard let digit = Hexadecimal.digit(byte) else {
                throw scanner.error(.syntax, "\\U needs four hexadecimal digits", at: offset)
            }
            unit = unit << 4 | UInt16(digit)
            scanner.index += 1
        }
        return unit
    }
}

/// The character set of NextStep, which octal escapes of OpenStep text use.
enum NextStepEncoding {
    /// The character of a code, or `nil` for the two codes without one.
    static func scalar(_ byte: UInt8) -> Unicode.Scalar? {
        guard byte >= 0x80 else { return Unicode.Scalar(byte) }
        let index = Int(byte) - 0x80
        return index < upperHalf.count ? upperHalf[index] : nil
    }

    /// The characters from 0x80 to 0xfd (Unicode's vendor mapping NEXTSTEP.TXT).
    private static let upperHalf: [Unicode.Scalar] = [
        "\u{a0}", "À", "Á", "Â", "Ã", "Ä", "Å", "Ç", "È", "É", "Ê", "Ë", "Ì", "Í", "Î", "Ï",
        "Ð", "Ñ", "Ò", "Ó", "Ô", "Õ", "Ö", "Ù", "Ú", "Û", "Ü", "Ý", "Þ", "\u{b5}", "×", "÷",
        "©", "¡", "¢", "£", "\u{2044}", "¥", "ƒ", "§", "¤", "\u{2019}", "\u{201c}", "«", "‹", "›", "\u{fb01}",
        "\u{fb02}",
        "®", "\u{2013}", "†", "‡", "\u{b7}", "¦", "¶", "•", "\u{201a}", "\u{201e}", "\u{201d}", "»", "…", "‰", "¬", "¿",
        "¹", "\u{2cb}", "\u{b4}", "\u{2c6}", "\u{2dc}", "\u{af}", "\u{2d8}", "\u{2d9}", "\u{a8}", "²", "\u{2da}",
        "\u{b8}", "³", "\u{2dd}", "\u{2db}", "\u{2c7}",
        "\u{2014}", "±", "¼", "½", "¾", "à", "á", "â", "ã", "ä", "å", "ç", "è", "é", "ê", "ë",
        "ì", "Æ", "í", "ª", "î", "ï", "ð", "ñ", "Ł", "Ø", "Œ", "º", "ò", "ó", "ô", "õ",
        "ö", "æ", "ù", "ú", "û", "ı", "ü", "ý", "ł", "ø", "œ", "ß", "þ", "ÿ",
    ]
}
