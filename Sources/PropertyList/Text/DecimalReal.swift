/// Floating-point numbers in decimal text, without the spellings that only Swift knows.
package enum DecimalReal {
    /// CoreFoundation's names of the numbers without digits, in lower case.
    static let names: [String: Double] = [
        "nan": .nan, "inf": .infinity, "+inf": .infinity, "-inf": -.infinity, "infinity": .infinity,
        "+infinity": .infinity, "-infinity": -.infinity,
    ]

    /// The number of a text: a sign, digits with an optional point, an exponent; or one of ``names`` in any case.
    ///
    /// - Returns: `nil` for anything else; an infinity for a number beyond the largest.
    package static func parse(_ text: String) -> Double? {
        isDecimal(text.utf8) ? Double(text) : names[text.lowercased()]
    }

    /// Whether a text is a decimal number.
    ///
    /// Swift's own parser would also take hexadecimal numbers and `nan(0x1)`.
    private static func isDecimal(_ text: String.UTF8View) -> Bool {
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

    /// Takes digits off the front, and counts them.
    private static func dropDigits(_ text: inout Substring.UTF8View) -> Int {
        var count = 0
        while let byte = text.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            text = text.dropFirst()
            count += 1
        }
        return count
    }
}
