/// Finds characters that look like a blank or like nothing, which copied text brings into names.
enum Unseen {
    /// Whether a character, other than the plain blank, cannot be seen.
    static func contains(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value < 0x20 || scalar.value > 0x7e else { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }

    /// The number of the first such character of a text, as `U+200B`; `nil` where there is none.
    static func first(in text: String) -> String? {
        guard !text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }),
            let scalar = text.unicodeScalars.first(where: contains)
        else { return nil }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
