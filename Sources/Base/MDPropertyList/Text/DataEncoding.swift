/// Base64 of RFC 4648 section 4, with padding.
package enum Base64 {
    /// The 64 digits in order of their values.
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    /// The character that fills the last group.
    private static let padding = UInt8(ascii: "=")

    /// The reason why a text is not Base64, and its offset.
    package struct FormatError: Error, Hashable, Sendable {
        /// The offset of the first wrong byte; the text's length if it ends too early.
        package let offset: Int
        /// The message, without position and full stop.
        package let message: String
    }

    /// Encodes bytes, without line breaks.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count / 3 * 4 + 4)
        var index = 0
        while index < bytes.count {
            let count = min(3, bytes.count - index)
            var group = Int(bytes[index]) << 16
            if count > 1 { group |= Int(bytes[index + 1]) << 8 }
            if count > 2 { group |= Int(bytes[index + 2]) }
            text.append(digits[group >> 18])
            text.append(digits[group >> 12 & 63])
            text.append(count > 1 ? digits[group >> 6 & 63] : padding)
            text.append(count > 2 ? digits[group & 63] : padding)
            index += count
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes a text strictly: padded, without surplus bits.
    ///
    /// - Parameters:
    ///   - text: the digits.
    ///   - ignoringWhitespace: whether blanks, tabs and line ends are skipped.
    /// - Returns: the bytes.
    /// - Throws: the first error.
    package static func decode(
        _ text: some Sequence<UInt8>, ignoringWhitespace: Bool = false
    ) throws(FormatError) -> [UInt8] {
        var bytes: [UInt8] = []
        var (group, held, pads, offset) = (0, 0, 0, 0)
        for byte in text {
            defer { offset += 1 }
            if ignoringWhitespace, byte == 0x20 || (0x09...0x0d).contains(byte) { continue }
            if byte == padding {
                guard held + pads >= 2, held + pads < 4 else {
                    throw FormatError(offset: offset, message: "this '=' stands where Base64 has none")
                }
                guard group & (held == 2 ? 15 : 3) == 0 else {
                    throw FormatError(offset: offset, message: "the Base64 digit before this '=' has bits left over")
                }
                pads += 1
                continue
            }
            guard let digit = value(of: byte) else {
                throw FormatError(offset: offset, message: "this character is no Base64 digit")
            }
            guard pads == 0 else {
                throw FormatError(offset: offset, message: "the Base64 data ended at the '=' before")
            }
            group = group << 6 | digit
            held += 1
            if held == 4 {
                bytes.append(UInt8(truncatingIfNeeded: group >> 16))
                bytes.append(UInt8(truncatingIfNeeded: group >> 8))
                bytes.append(UInt8(truncatingIfNeeded: group))
                (group, held) = (0, 0)
            }
        }
        guard held + pads == 0 || held + pads == 4 else {
            throw FormatError(offset: offset, message: "the Base64 data ends within a group of four digits")
        }
        if held == 2 { bytes.append(UInt8(truncatingIfNeeded: group >> 4)) }
        if held == 3 {
            bytes.append(UInt8(truncatingIfNeeded: group >> 10))
            bytes.append(UInt8(truncatingIfNeeded: group >> 2))
        }
        return bytes
    }

    /// Whether a byte is one of the 64 digits.
    package static func isDigit(_ byte: UInt8) -> Bool { value(of: byte) != nil }

    /// The value of a digit, or `nil`.
    private static func value(of byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}

/// Hexadecimal digits.
package enum Hexadecimal {
    /// The value of a digit, or `nil`.
    package static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The lowercase digit of the lowest four bits.
    static func character(_ bits: UInt8) -> UInt8 {
        let value = bits & 0xf
        return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
