/// Text from outside, made safe to show to people.
package enum Printable {
    /// Writes control, bidirectional and invisible characters as escapes and leaves all other text as it is.
    ///
    /// A line feed becomes `\n`, a tab `\t`, a carriage return `\r`, any other `\u{…}` with its hexadecimal number. The
    /// backslash itself is left alone, because paths and values must stay readable: the result is for eyes, not for parsers.
    /// A variation selector stays behind a character whose look it can choose, and is an escape elsewhere.
    package static func escape(_ text: String) -> String {
        // Nearly all text is plain ASCII, and is returned as it came.
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return text }
        var result = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\t": result.append(contentsOf: "\\t".unicodeScalars)
            case "\r": result.append(contentsOf: "\\r".unicodeScalars)
            default:
                if isHidden(scalar) || isLooseSelector(scalar, behind: previous) {
                    result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
                } else {
                    result.append(scalar)
                }
            }
            previous = scalar
        }
        return String(result)
    }

    /// Whether a character is a variation selector that chooses the look of nothing: in a row of them any text can hide.
    private static func isLooseSelector(_ scalar: Unicode.Scalar, behind previous: Unicode.Scalar?) -> Bool {
        guard scalar.properties.isVariationSelector else { return false }
        guard let previous, !isHidden(previous), !previous.properties.isVariationSelector else { return true }
        // Those from U+E0100 on are of ideographs; the others also of symbols, digits and the letters of some scripts.
        if previous.properties.isIdeographic { return false }
        return scalar.value >= 0xe_0100 || previous.isASCII && !previous.properties.isEmoji
    }

    /// Whether a character shows nothing, or changes how its neighbours are shown.
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Cc, Cf (bidirectional controls, zero-width characters, tags), Zl and Zp.
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        // Fillers show nothing; variation selectors only choose the look of the character before, as in emoji.
        default: scalar.properties.isDefaultIgnorableCodePoint && !scalar.properties.isVariationSelector
        }
    }
}
