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
        switch byte {
        case 0x00...0x1f, 0x22, 0x5c, 0x7f: true
        case 0xc2, 0xd8, 0xe2, 0xef: true
        default: false
        }
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
            guard JSONWriter.isHarmful(scalar) else {
                return append(bytes: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
            let digits = String(scalar.value, radix: 16)
            append(bytes: "\\u".utf8)
            append(bytes: repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count))
            append(bytes: digits.utf8)
        }
    }

    /// Whether a character does something to a terminal instead of being seen; all are below U+10000.
    ///
    /// C0 and C1 controls and DEL steer terminals; line and paragraph separators end lines for some readers of JSON
    /// lines; bidirectional controls reorder what people see; a byte order mark is invisible.
    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1f, 0x7f...0x9f: true
        case 0x061c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: true
        case 0x2028, 0x2029, 0xfeff: true
        default: false
        }
    }
}
