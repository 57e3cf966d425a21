/// Reads the numbers at the front of texts, as NSString's `boolValue`, `integerValue` and `doubleValue` do.
enum NumericText {
    /// Whether a text stands for true: after blanks, signs and zeros comes one of `1`–`9`, `Y`, `y`, `T`, `t`.
    static func isTrue(_ text: String) -> Bool {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "Y"), UInt8(ascii: "y"), UInt8(ascii: "T"), UInt8(ascii: "t"),
                UInt8(ascii: "1")...UInt8(ascii: "9"):
                return true
            case UInt8(ascii: "0"), UInt8(ascii: "+"), UInt8(ascii: "-"): continue
            case _ where isBlank(byte): continue
            default: return false
            }
        }
        return false
    }

    /// The decimal integer at the front of a text, the nearest where it does not fit; 0 where there is none.
    static func integer(_ text: String) -> Int {
        let digits = text.utf8.drop(while: isBlank)
        let isNegative = digits.first == UInt8(ascii: "-")
        let isSigned = isNegative || digits.first == UInt8(ascii: "+")
        var result = 0
        for byte in isSigned ? digits.dropFirst() : digits {
            guard isDigit(byte) else { break }
            // Built up below zero, where there is one number more.
            let (product, first) = result.multipliedReportingOverflow(by: 10)
            let (sum, second) = product.subtractingReportingOverflow(Int(byte - UInt8(ascii: "0")))
            if first || second { return isNegative ? .min : .max }
            result = sum
        }
        if isNegative { return result }
        return result == .min ? .max : -result
    }

    /// The longest decimal number at the front of a text, `nil` where there is none.
    ///
    /// Digits with or without a point, one digit at least, and an exponent only if it is whole.
    static func decimal(_ text: String) -> Substring? {
        let utf8 = text.utf8.drop(while: isBlank)
        var index = utf8.startIndex

        /// Skips a byte, and gives whether it was there.
        func skip(where matches: (UInt8) -> Bool) -> Bool {
            guard index < utf8.endIndex, matches(utf8[index]) else { return false }
            utf8.formIndex(after: &index)
            return true
        }
        /// Skips digits, and gives whether there were any.
        func skipDigits() -> Bool {
            let first = index
            while skip(where: isDigit) {}
            return index > first
        }

        _ = skip(where: isSign)
        let hasWhole = skipDigits()
        var end = index
        var hasFraction = false
        if skip(where: { $0 == UInt8(ascii: ".") }) {
            hasFraction = skipDigits()
            end = index
        }
        guard hasWhole || hasFraction else { return nil }
        if skip(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            _ = skip(where: isSign)
            if skipDigits() { end = index }
        }
        return Substring(utf8[..<end])
    }

    /// Whether a byte is a sign.
    private static func isSign(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
    }

    /// Whether a byte is an ASCII digit.
    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Whether a byte is a blank, a tab or a line end.
    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0d).contains(byte)
    }
}
