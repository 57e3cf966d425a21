import Testing

@testable import PropertyList

/// Characters that show nothing are escaped wherever people may look.
struct HiddenCharacterTests {
    /// The JSON of a text.
    private func json(_ text: String) -> String {
        var writer = JSONWriter()
        writer.value(.string(text))
        return writer.text
    }

    @Test(arguments: [
        ("\u{200b}\u{200d}\u{2060}\u{ad}", #""\u200b\u200d\u2060\u00ad""#),
        ("\u{e0041}\u{e007f}", #""\udb40\udc41\udb40\udc7f""#),
        ("\u{e0100}\u{e01ef}", #""\udb40\udd00\udb40\uddef""#),
        ("\u{3164}\u{115f}\u{34f}\u{180e}", #""\u3164\u115f\u034f\u180e""#),
        (
            "e\u{301} \u{2764}\u{fe0f} \u{65e5}\u{672c} \u{5d0}",
            "\"e\u{301} \u{2764}\u{fe0f} \u{65e5}\u{672c} \u{5d0}\""
        ),
    ])
    func `JSON escapes hidden characters and nothing else`(text: String, expected: String) throws {
        let written = json(text)
        #expect(Array(written.unicodeScalars) == Array(expected.unicodeScalars))
        let document = try JSONReader.read(SourceText(decoding: Array(written.utf8)))
        #expect(document.root.value == .string(text))
    }

    @Test func `no hidden character is written as it is`() {
        for number in 0x80...0x10_ffff as ClosedRange<UInt32> {
            guard let scalar = Unicode.Scalar(number) else { continue }
            let isHidden =
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: true
                default:
                    scalar.properties.isDefaultIgnorableCodePoint
                        && (!scalar.properties.isVariationSelector || number >= 0xe_0100)
                }
            #expect(scalar.isHidden == isHidden, "U+\(String(number, radix: 16))")
        }
    }

    @Test func `messages show hidden characters as escapes`() {
        #expect(Excerpt.quote("a\u{200b}\u{e0041}\u{3164}\u{e0100}b") == #""a\u{200b}\u{e0041}\u{3164}\u{e0100}b""#)
    }
}
