/// Shortens and escapes untrusted text for a message, so that it is harmless on a terminal.
enum Excerpt {
    /// The maximum number of scalars of a text in a message.
    private static let longest = 60

    /// A text in quotation marks; control, formatting and bidirectional characters become `\u{…}`.
    static func quote(_ text: String) -> String {
        var result = "\""
        for (index, scalar) in text.unicodeScalars.enumerated() {
            if index == longest { return result + "…\"" }
            result += visible(scalar)
        }
        return result + "\""
    }

    /// A single character: in quotation marks if it is punctuation or a symbol, as `U+0007` if it is not visible; a letter
    /// or a digit may be part of a value, which no message names.
    static func character(_ scalar: Unicode.Scalar) -> String {
        guard isVisible(scalar), scalar != " " else { return codePoint(scalar) }
        let isText = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        return isText ? "this character" : "\"\(scalar)\""
    }

    /// The number of a character as `U+0007`.
    static func codePoint(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Whether a character is a blank or invisible.
    static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .spaceSeparator || !isVisible(scalar)
    }

    /// The character, or its escape.
    private static func visible(_ scalar: Unicode.Scalar) -> String {
        isVisible(scalar) ? String(Character(scalar)) : "\\u{\(String(scalar.value, radix: 16))}"
    }

    /// Whether a character is shown and does not hide or move its neighbours.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isHidden { return false }
        switch scalar.properties.generalCategory {
        case .surrogate, .unassigned, .privateUse: return false
        default: return true
        }
    }
}

extension Unicode.Scalar {
    /// Whether the character is invisible, or changes how its neighbours are shown.
    ///
    /// Such characters can hide any text: controls, bidirectional controls, zero-width characters, tags, separators of
    /// lines and paragraphs, fillers, and all variation selectors except the sixteen that choose the look of symbols.
    var isHidden: Bool {
        switch value {
        // Most texts have no other characters.
        case 0x20..<0x7f, 0xa0..<0xad, 0xae..<0x300: return false
        case 0xe_0100...0xe_01ef: return true
        default: break
        }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
        }
    }
}
