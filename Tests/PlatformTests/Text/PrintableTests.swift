import Testing

@testable import Platform

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
