/// Reads numbers at the front of texts, like NSString's `boolValue`, `integerValue` and `doubleValue`.
enum NumericPrefix {
    /// Whether a text means true: after blanks, signs and zeros comes one of `1`–`9`, `Y`, `y`, `T`, `t`.
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

    /// The decimal integer at the front of a text, clamped to the range; 0 if there is none.
    static func integer(_ text: String) -> Int {
        let digits = text.utf8.drop(while: isBlank)
        let isNegative = digits.first == UInt8(ascii: "-")
        let isSigned = isNegative || digits.first == UInt8(ascii: "+")
        var result = 0
        for byte in isSigned ? digits.dropFirst() : digits {
            guard isDigit(byte) else { break }
            // Built up as a negative number, because that range has one number more.
            let (product, first) = result.multipliedReportingOverflow(by: 10)
            let (sum, second) = product.subtractingReportingOverflow(Int(byte - UInt8(ascii: "0")))
            if first || second { return isNegative ? .min : .max }
            result = sum
        }
        if isNegative { return result }
        return result == .min ? .max : -result
    }

    /// The longest decimal number at the front of a text, `nil` if there is none.
    ///
    /// It has at least one digit and an optional point; an incomplete exponent is left out.
    static func decimal(_ text: String) -> Substring? {
        let utf8 = text.utf8.drop(while: isBlank)
        var index = utf8.startIndex

        /// Skips a byte, and returns whether it was there.
        func skip(where matches: (UInt8) -> Bool) -> Bool {
            guard index < utf8.endIndex, matches(utf8[index]) else { return false }
            utf8.formIndex(after: &index)
            return true
        }
        /// Skips digits, and returns whether there were any.
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

/// Reads and writes floating-point numbers in decimal, without the spellings that only Swift accepts.
package enum DecimalReal {
    /// CoreFoundation's names of the numbers without digits, in lower case.
    static let names: [String: Double] = [
        "nan": .nan, "inf": .infinity, "+inf": .infinity, "-inf": -.infinity, "infinity": .infinity,
        "+infinity": .infinity, "-infinity": -.infinity,
    ]

    /// Parses a sign, digits with an optional point, and an exponent; or one of ``names`` in any case.
    ///
    /// - Returns: `nil` for anything else; an infinity for a number beyond the largest.
    package static func parse(_ text: String) -> Double? {
        isDecimal(text.utf8) ? Double(text) : names[text.lowercased()]
    }

    /// Whether all of a text is a decimal number.
    ///
    /// Swift's own parser would also accept hexadecimal numbers and `nan(0x1)`.
    static func isDecimal(_ text: String.UTF8View) -> Bool {
        var rest = text[...]
        if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        var digits = dropDigits(&rest)
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            digits += dropDigits(&rest)
        }
        guard digits > 0 else { return false }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
            guard dropDigits(&rest) > 0 else { return false }
        }
        return rest.isEmpty
    }

    /// Removes the digits at the front, and returns their number.
    private static func dropDigits(_ text: inout Substring.UTF8View) -> Int {
        var count = 0
        while let byte = text.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            text = text.dropFirst()
            count += 1
        }
        return count
    }

    /// The shortest text that reads back as the number, with CoreFoundation's names of infinities and NaN.
    static func text(of value: Double) -> String {
        if value.isNaN { return "nan" }
        if value.isInfinite { return value < 0 ? "-infinity" : "+infinity" }
        let text = value.description
        return text.hasSuffix(".0") && value != 0 ? String(text.dropLast(2)) : text
    }
}
