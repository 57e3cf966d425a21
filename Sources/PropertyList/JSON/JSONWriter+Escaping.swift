extension JSONWriter {
    /// Appends a string with its quotes.
    ///
    /// Complexity: O(n); a string without anything to escape is copied as a whole.
    mutating func appendQuoted(_ text: String) {
        append(byte: UInt8(ascii: "\""))
        if text.utf8.contains(where: JSONWriter.mayNeedEscape) {
            for scalar in text.unicodeScalars { append(escaping: scalar) }
        } else {
            append(bytes: text.utf8)
        }
        append(byte: UInt8(ascii: "\""))
    }

    /// Whether a character that is escaped can begin with this byte.
    private static func mayNeedEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x22 || byte == 0x5c || byte >= 0x7f
    }

    /// Appends one character, escaped if it has to be.
    private mutating func append(escaping scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": append(bytes: "\\\"".utf8)
        case "\\": append(bytes: "\\\\".utf8)
        case "\n": append(bytes: "\\n".utf8)
        case "\r": append(bytes: "\\r".utf8)
        case "\t": append(bytes: "\\t".utf8)
        case "\u{8}": append(bytes: "\\b".utf8)
        case "\u{c}": append(bytes: "\\f".utf8)
        default:
            // Hidden characters steer terminals, end lines for some readers of JSON lines, reorder what people see, or
            // show nothing.
            guard scalar.isHidden else {
                return append(bytes: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
            for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                let digits = String(unit, radix: 16)
                append(bytes: "\\u".utf8)
                append(bytes: repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count))
                append(bytes: digits.utf8)
            }
        }
    }
}
