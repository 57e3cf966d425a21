import Platform

/// Documents for programs, shown on a terminal.
///
/// Settings come from anywhere, and what a terminal makes of their characters must not deceive whoever looks at it. A
/// program gets every byte as it is.
enum TerminalText {
    /// A JSON document, in which a terminal gets hidden characters as `\u202e`.
    static func json(_ document: [UInt8]) -> [UInt8] {
        guarded(document) { scalar in
            scalar.utf16.map { "\\u" + padded(String($0, radix: 16)) }.joined()
        }
    }

    /// An XML document, in which a terminal gets hidden characters as `&#x202e;`.
    static func xml(_ document: [UInt8]) -> [UInt8] {
        guarded(document) { "&#x\(String($0.value, radix: 16));" }
    }

    /// Replaces hidden characters but line ends and tabs, where standard output is a terminal.
    private static func guarded(_ document: [UInt8], _ reference: (Unicode.Scalar) -> String) -> [UInt8] {
        guard StandardStream.output.isTerminal, document.contains(where: { $0 >= 0x7f }) else { return document }
        var result: [UInt8] = []
        result.reserveCapacity(document.count)
        for scalar in String(decoding: document, as: UTF8.self).unicodeScalars {
            // Below 0x20, both formats have nothing but their own layout.
            if scalar.value >= 0x7f, Printable.isHidden(scalar) {
                result += reference(scalar).utf8
            } else {
                result += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            }
        }
        return result
    }

    /// Four hexadecimal digits.
    private static func padded(_ digits: String) -> String {
        String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
}
