extension XMLParser {
    /// Reads the text of `<string>` or `<key>`, which begins at `offset`, with its closing tag.
    mutating func readText(in element: XMLElement, at offset: Int) throws(PropertyListError) -> String {
        // Most texts are plain and are copied in one piece; `decoded` has what came before the current piece.
        var decoded: [UInt8] = []
        var start = scanner.index
        while true {
            skipPlainText()
            guard let byte = scanner.current else {
                throw scanner.truncated(
                    "the file ends within \(element.tag), which begins at \(scanner.source.position(at: offset))")
            }
            if byte == UInt8(ascii: "<") {
                guard scanner.byte(ahead: 1) != UInt8(ascii: "/") else { break }
                decoded += scanner.bytes[start..<scanner.index]
                if try !skipTextComment(in: element) {
                    let content = scanner.bytes[try readMarkup(in: element, at: offset)]
                    decoded += isTolerant ? XMLParser.withLineFeeds(content) : Array(content)
                }
                start = scanner.index
            } else if byte == UInt8(ascii: "&") {
                decoded += scanner.bytes[start..<scanner.index]
                decoded += String(Character(try readReferenceTolerantly())).utf8
                start = scanner.index
            } else if byte == UInt8(ascii: ">"), scanner.bytes[start..<scanner.index].suffix(2).elementsEqual("]]".utf8)
            {
                throw scanner.error(.syntax, "\"]]>\" cannot stand in text; it is written ]]&gt;", at: scanner.index)
            } else if byte == 0x0d, isTolerant {
                // Line ends that Windows or a checkout changed are not part of the administrator's text.
                decoded += scanner.bytes[start..<scanner.index]
                decoded.append(0x0a)
                scanner.index += scanner.byte(ahead: 1) == 0x0a ? 2 : 1
                start = scanner.index
            } else if allowsControlCharacters, byte != 0 {
                scanner.index += 1
            } else {
                try stepOverCharacter()
            }
        }
        let end = scanner.index
        try expectClosingTag(of: element, at: offset)
        if decoded.isEmpty { return scanner.string(start..<end) }
        decoded += scanner.bytes[start..<end]
        return String(decoding: decoded, as: UTF8.self)
    }

    /// Bytes with a line feed for each line end, as in XML 1.0 (2.11).
    private static func withLineFeeds(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var previous: UInt8 = 0
        for byte in bytes {
            if byte != 0x0a || previous != 0x0d { result.append(byte == 0x0d ? 0x0a : byte) }
            previous = byte
        }
        return result
    }

    /// Skips bytes that represent themselves whatever follows them.
    private mutating func skipPlainText() {
        var index = scanner.index
        while index < scanner.bytes.count {
            let byte = scanner.bytes[index]
            let isMarkup = byte == UInt8(ascii: "<") || byte == UInt8(ascii: "&") || byte == UInt8(ascii: ">")
            if isMarkup || byte < 0x20 || byte == 0xef { break }
            index += 1
        }
        scanner.index = index
    }

    /// Skips one byte of a character; control characters, U+FFFE and U+FFFF are an error.
    mutating func stepOverCharacter() throws(PropertyListError) {
        let byte = scanner.bytes[scanner.index]
        if byte < 0x20, !TextScanner.isBlank(byte) {
            let hint = byte == 0 ? "; UTF-16 needs a byte order mark" : ""
            throw scanner.error(
                .syntax, "XML cannot hold the character \(Excerpt.codePoint(Unicode.Scalar(byte)))\(hint)",
                at: scanner.index)
        }
        if byte == 0xef, scanner.byte(ahead: 1) == 0xbf, let last = scanner.byte(ahead: 2), last >= 0xbe {
            throw scanner.error(
                .syntax, "XML cannot hold the character U+\(last == 0xbe ? "FFFE" : "FFFF")", at: scanner.index)
        }
        scanner.index += 1
    }

    /// Reads a CDATA section, the only markup allowed in a text, and returns the offsets of its content.
    private mutating func readMarkup(in element: XMLElement, at offset: Int) throws(PropertyListError) -> Range<Int> {
        let opening = scanner.index
        guard scanner.skip("<![CDATA[") else {
            if scanner.endsWithin("<![CDATA[") { throw scanner.truncated("the file ends within \(element.tag)") }
            let what = scanner.isAt("<!--") ? "a comment" : "another element"
            let begin = scanner.source.position(at: offset)
            let isElsewhere = begin.line != scanner.source.position(at: opening).line
            throw scanner.error(
                .syntax,
                "\(what) cannot stand within \(element.tag)\(isElsewhere ? ", which begins at \(begin)" : "");"
                    + " as a character \"<\" is written &lt;", at: opening)
        }
        let start = scanner.index
        while !scanner.isAtEnd {
            if scanner.skip("]]>") { return start..<(scanner.index - 3) }
            try stepOverCharacter()
        }
        throw scanner.truncated(
            "the file ends within the CDATA section that begins at \(scanner.source.position(at: opening))")
    }

    /// Reads `&name;`, `&#10;` or `&#xA;`.
    mutating func readReference() throws(PropertyListError) -> Unicode.Scalar {
        let offset = scanner.index
        let longest = 12
        guard let end = scanner.bytes[offset...].prefix(longest).firstIndex(of: UInt8(ascii: ";")) else {
            if scanner.bytes.count - offset < longest, !scanner.bytes[offset...].contains(UInt8(ascii: "<")) {
                throw scanner.truncated("the file ends within a character reference")
            }
            throw scanner.error(
                .syntax, "\"&\" begins no reference here; as a character it is written &amp;", at: offset)
        }
        let name = scanner.string((offset + 1)..<end)
        scanner.index = end + 1
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard let digits = name.utf8.first == UInt8(ascii: "#") ? name.dropFirst() : nil else {
            throw scanner.error(
                .syntax,
                "this entity is unknown; XML has lt, gt, amp, quot and apos, any other character"
                    + " stands for itself, and \"&\" is written &amp;", at: offset)
        }
        let isHexadecimal = digits.utf8.first == UInt8(ascii: "x")
        let number = isHexadecimal ? digits.dropFirst() : digits
        guard number.utf8.first != UInt8(ascii: "+"), number.utf8.first != UInt8(ascii: "-"),
            let code = UInt32(number, radix: isHexadecimal ? 16 : 10), let scalar = Unicode.Scalar(code),
            XMLParser.isCharacter(scalar)
        else {
            throw scanner.error(.syntax, "this reference stands for no character that XML can hold", at: offset)
        }
        return scalar
    }

    /// Whether XML 1.0 can hold a character (production 2).
    static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xa, 0xd, 0x20...0xd7ff, 0xe000...0xfffd, 0x10000...0x10ffff: true
        default: false
        }
    }
}
