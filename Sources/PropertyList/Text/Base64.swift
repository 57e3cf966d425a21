/// Base64 with the standard alphabet and padding (RFC 4648, section 4), decoded strictly.
enum Base64 {
    /// Why a text is no base64.
    struct Failure: Error {
        /// What is wrong.
        let message: String
        /// The offset of the byte at which it shows, into the bytes that were given.
        let offset: Int
    }

    /// The bytes of base64 text; blanks, tabs and line ends are stepped over.
    ///
    /// The offset of a failure counts as the indices of the slice do.
    static func decode(_ text: ArraySlice<UInt8>) throws(Failure) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var digits = 0
        var padding = 0
        for (offset, byte) in zip(text.indices, text) {
            if TextScanner.isBlank(byte) { continue }
            if byte == UInt8(ascii: "=") {
                guard digits + padding < 4, digits >= 2 else {
                    throw Failure(message: "the padding \"=\" stands in the wrong place", offset: offset)
                }
                padding += 1
                continue
            }
            guard let digit = digit(byte) else {
                throw Failure(message: "this character is no base64", offset: offset)
            }
            guard padding == 0 else {
                throw Failure(message: "base64 goes on after its padding", offset: offset)
            }
            if digits == 4 { (bits, digits) = (0, 0) }
            bits = bits << 6 | UInt32(digit)
            digits += 1
            if digits == 4 {
                result.append(UInt8(truncatingIfNeeded: bits >> 16))
                result.append(UInt8(truncatingIfNeeded: bits >> 8))
                result.append(UInt8(truncatingIfNeeded: bits))
            }
        }
        if digits == 4 || digits == 0 {
            return result
        }
        guard digits + padding == 4 else {
            throw Failure(message: "base64 ends within a group of four characters", offset: text.endIndex)
        }
        let spare: UInt32 = digits == 2 ? 0xf : 0x3
        guard bits & spare == 0 else {
            throw Failure(message: "the last base64 character has bits that belong to no byte", offset: text.endIndex)
        }
        if digits == 2 {
            result.append(UInt8(truncatingIfNeeded: bits >> 4))
        } else {
            result.append(UInt8(truncatingIfNeeded: bits >> 10))
            result.append(UInt8(truncatingIfNeeded: bits >> 2))
        }
        return result
    }

    /// The base64 text of bytes, without line ends.
    static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity((bytes.count + 2) / 3 * 4)
        var iterator = bytes.makeIterator()
        while let first = iterator.next() {
            let second = iterator.next()
            let third = iterator.next()
            let bits = UInt32(first) << 16 | UInt32(second ?? 0) << 8 | UInt32(third ?? 0)
            result.append(character(bits >> 18))
            result.append(character(bits >> 12))
            result.append(second == nil ? UInt8(ascii: "=") : character(bits >> 6))
            result.append(third == nil ? UInt8(ascii: "=") : character(bits))
        }
        return result
    }

    /// The value of a base64 character, or `nil`.
    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    /// The base64 character of the lowest six bits.
    private static func character(_ bits: UInt32) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: bits & 0x3f)
        return switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }
}
