import Glibc

/// Text from outside, made safe to show to people.
package enum Printable {
    /// Escapes control, bidirectional and invisible characters and returns all other text unchanged.
    ///
    /// A line feed becomes `\n`, a tab `\t`, a carriage return `\r`, any other `\u{…}` with its hexadecimal number. The
    /// backslash itself is not escaped, because paths and values must stay readable: the result is for people, not for
    /// parsers. A variation selector is not escaped after a character whose appearance it can select.
    package static func escape(_ text: String) -> String {
        // Nearly all text is plain ASCII, and is returned unchanged.
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

    /// Whether a character is a variation selector that has no effect on the character before: rows of them can hide
    /// any text.
    private static func isLooseSelector(_ scalar: Unicode.Scalar, behind previous: Unicode.Scalar?) -> Bool {
        guard scalar.properties.isVariationSelector else { return false }
        guard let previous, !isHidden(previous), !previous.properties.isVariationSelector else { return true }
        // Those from U+E0100 on belong to ideographs; the others also to symbols, digits and the letters of some
        // scripts.
        if previous.properties.isIdeographic { return false }
        return scalar.value >= 0xe_0100 || previous.isASCII && !previous.properties.isEmoji
    }

    /// Whether a character shows nothing, or changes how its neighbours are shown.
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Cc, Cf (bidirectional controls, zero-width characters, tags), Zl and Zp.
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        // Fillers are invisible; variation selectors only select the appearance of the character before, as in emoji.
        default: scalar.properties.isDefaultIgnorableCodePoint && !scalar.properties.isVariationSelector
        }
    }
}

/// Text and the bytes that it is made of, compared without the generic code of the standard library, which costs a short
/// command several times the text.
extension String {
    /// Decodes bytes; `nil` if they are not valid UTF-8.
    package init?(exactly bytes: UnsafeRawBufferPointer) {
        // Invalid bytes are replaced in the string, so that its bytes differ.
        self = unsafe String(decoding: bytes, as: UTF8.self)
        // Plain ASCII is always valid.
        if unsafe bytes.contains(where: { $0 >= 0x80 }) {
            guard unsafe consists(of: bytes) else { return nil }
        }
    }

    /// Whether these are the text's bytes.
    package func consists(of bytes: UnsafeRawBufferPointer) -> Bool {
        var text = self
        // Both stretches have as many bytes as the other, and live during the comparison.
        return text.withUTF8 { own in
            guard own.count == bytes.count else { return false }
            guard let start = own.baseAddress, let other = bytes.baseAddress else { return true }
            return unsafe memcmp(start, other, bytes.count) == 0
        }
    }
}
