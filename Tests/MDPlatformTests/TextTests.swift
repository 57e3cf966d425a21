import Testing

@testable import MDPlatform

/// Text from outside cannot steer a terminal or reorder a line.
struct PrintableTests {
    static let table: [(text: String, shown: String)] = [
        ("plain text, ümläut, 日本語, 🙂", "plain text, ümläut, 日本語, 🙂"),
        ("", ""),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("\u{0}\u{1b}[31m", "\\u{0}\\u{1b}[31m"),
        ("\r\n", "\\r\\n"),
        ("\u{7f}\u{80}\u{9b}\u{9f}\u{a0}", "\\u{7f}\\u{80}\\u{9b}\\u{9f}\u{a0}"),
        ("\u{61c}\u{200e}\u{200f}", "\\u{61c}\\u{200e}\\u{200f}"),
        ("\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}", "\\u{202a}\\u{202b}\\u{202c}\\u{202d}\\u{202e}"),
        ("\u{2066}\u{2067}\u{2068}\u{2069}", "\\u{2066}\\u{2067}\\u{2068}\\u{2069}"),
        ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"),
        ("\u{200b}\u{200d}\u{feff}\u{ad}\u{e0041}", "\\u{200b}\\u{200d}\\u{feff}\\u{ad}\\u{e0041}"),
        ("\u{3164}", "\\u{3164}"),
        ("e\u{301} \u{2764}\u{fe0f}", "e\u{301} \u{2764}\u{fe0f}"),
        ("1\u{fe0f}\u{20e3} \u{845b}\u{e0100}", "1\u{fe0f}\u{20e3} \u{845b}\u{e0100}"),
        ("a\u{fe0f}b\u{e0100}", "a\\u{fe0f}b\\u{e0100}"),
        ("\u{fe0f}\u{2764}\u{fe0f}\u{fe00}", "\\u{fe0f}\u{2764}\u{fe0f}\\u{fe00}"),
        ("\u{e0001}\u{e007f}\u{2060}\u{180e}", "\\u{e0001}\\u{e007f}\\u{2060}\\u{180e}"),
        ("C:\\path", "C:\\path"),
    ]

    @Test(arguments: table) func `what is hidden is shown and all else stays`(text: String, shown: String) {
        #expect(Array(Printable.escape(text).unicodeScalars) == Array(shown.unicodeScalars))
    }
}

/// Bytes become text exactly where they are text.
struct ExactTextTests {
    static let table: [[UInt8]] = [
        [], [0x41], [0], Array("plain text".utf8), Array("ümläut, 日本語, 🙂, \u{fffd}".utf8), [0xef, 0xbf, 0xbd],
        // Not valid: continuation alone, cut off, overlong, a surrogate, beyond the last scalar.
        [0x80], [0x41, 0xff], [0xc3], [0xe3, 0x81], [0xf0, 0x90, 0x80], [0xc0, 0x80], [0xe0, 0x80, 0x80],
        [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], Array(repeating: 0x61, count: 40) + [0xf0, 0x9f, 0x99],
    ]

    @Test(arguments: table) func `what is valid is taken, and nothing else`(_ bytes: [UInt8]) {
        let text = bytes.withUnsafeBytes { String(exactly: $0) }
        #expect(text == String(validating: bytes, as: UTF8.self))
        if let text { #expect(Array(text.utf8) == bytes) }
    }

    @Test func `a text consists of its bytes and of no others`() {
        for text in ["", "a", "fifteen bytes..", "a text of more than fifteen bytes", "e\u{301}", "\u{e9}"] {
            for other in ["", "a", "b", "fifteen bytes..", "a text of more than fifteen bytez", "e\u{301}", "\u{e9}"] {
                let same = Array(text.utf8) == Array(other.utf8)
                #expect(Array(other.utf8).withUnsafeBytes { text.consists(of: $0) } == same, "\(text) \(other)")
            }
        }
    }
}
