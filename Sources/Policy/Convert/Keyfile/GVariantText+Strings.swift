extension GVariantText {
    /// Reads a text between two quotation marks, with its escapes.
    mutating func quoted() throws(Mistake) -> String { String(decoding: try quotedBytes(), as: UTF8.self) }

    /// Reads what stands between two quotation marks; of bytes rather than text, escapes are also octal numbers.
    mutating func quotedBytes(areBytes isBytes: Bool = false) throws(Mistake) -> [UInt8] {
        guard let mark = current else { throw mistake("a text is missing") }
        let start = index
        index += 1
        var content: [UInt8] = []
        while let byte = current {
            index += 1
            if byte == mark { return content }
            guard byte == UInt8(ascii: "\\") else {
                content.append(byte)
                continue
            }
            if isBytes, let number = octal() {
                content.append(number)
            } else {
                try escape(into: &content)
            }
        }
        throw Mistake(offset: start, message: "the text that begins here does not end")
    }

    /// Takes up to three octal digits of one byte; `nil` where there are none.
    private mutating func octal() -> UInt8? {
        var number: Int?
        let end = index + 3
        while index < end, let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(byte) {
            number = (number ?? 0) * 8 + Int(byte - UInt8(ascii: "0"))
            index += 1
        }
        return number.map { UInt8(truncatingIfNeeded: $0) }
    }

    /// Reads what follows a backslash.
    private mutating func escape(into content: inout [UInt8]) throws(Mistake) {
        guard let byte = current else { throw mistake("the text ends behind a backslash") }
        index += 1
        switch byte {
        case UInt8(ascii: "a"): content.append(0x07)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0c)
        case UInt8(ascii: "n"): content.append(0x0a)
        case UInt8(ascii: "r"): content.append(0x0d)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "v"): content.append(0x0b)
        case UInt8(ascii: "u"): content += try scalar(digits: 4)
        case UInt8(ascii: "U"): content += try scalar(digits: 8)
        case 0x0a: break
        default: content.append(byte)
        }
    }

    /// The character of some hexadecimal digits.
    private mutating func scalar(digits: Int) throws(Mistake) -> [UInt8] {
        let end = index + digits
        guard end <= bytes.count,
            let code = UInt32(String(decoding: bytes[index..<end], as: UTF8.self), radix: 16),
            let scalar = Unicode.Scalar(code), code != 0
        else { throw mistake("\(digits) hexadecimal digits of a character are missing") }
        index = end
        return Array(String(Character(scalar)).utf8)
    }
}
