/// Shows text from outside within a message, harmless to a terminal and short.
enum Excerpt {
    /// The most scalars of a text that a message shows.
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

    /// A single character: in quotation marks where it can be seen, else as `U+0007`.
    static func character(_ scalar: Unicode.Scalar) -> String {
        isVisible(scalar) && scalar != " " ? "\"\(scalar)\"" : codePoint(scalar)
    }

    /// The number of a character as `U+0007`.
    static func codePoint(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Whether a character looks like a blank or like nothing.
    static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .spaceSeparator || !isVisible(scalar)
    }

    /// The character, or its escape.
    private static func visible(_ scalar: Unicode.Scalar) -> String {
        isVisible(scalar) ? String(Character(scalar)) : "\\u{\(String(scalar.value, radix: 16))}"
    }

    /// Whether a character neither hides nor moves what stands around it.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isHidden { return false }
        switch scalar.properties.generalCategory {
        case .surrogate, .unassigned, .privateUse: return false
        default: return true
        }
    }
}
