/// Text of a manual page: words in roman, bold and italic type, without macros.
///
/// The characters that `groff_char(7)` names are escaped, so that both groff and mandoc show the intended ones.
struct RoffText {
    /// How words look.
    enum Style {
        /// Prose.
        case roman
        /// What is typed as it is.
        case bold
        /// What is emphasized, or is to be replaced.
        case italic
    }

    /// The text with its escapes.
    private(set) var source = ""

    /// Makes an empty text.
    init() {}

    /// Makes a text of words in one style.
    init(_ text: String, _ style: Style = .roman) { append(text, style) }

    /// Appends words in one style.
    mutating func append(_ text: String, _ style: Style = .roman) {
        guard !text.isEmpty else { return }
        switch style {
        case .roman: source += RoffText.escape(text, isLiteral: false)
        case .bold: source += "\\fB\(RoffText.escape(text, isLiteral: true))\\fR"
        case .italic: source += "\\fI\(RoffText.escape(text, isLiteral: true))\\fR"
        }
    }

    /// Appends another text.
    mutating func append(_ other: RoffText) { source += other.source }

    /// Escapes characters that mean something to roff, or that it would replace by typographic ones.
    ///
    /// - Parameters:
    ///   - text: the characters.
    ///   - isLiteral: whether they are to be copied and typed, so that hyphens and quotes have to stay what they are.
    /// - Returns: the characters with their escapes.
    static func escape(_ text: String, isLiteral: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\e"
            case "-" where isLiteral: result += "\\-"
            case "'" where isLiteral: result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            default:
                if scalar.isASCII {
                    result.unicodeScalars.append(scalar)
                } else {
                    let digits = String(scalar.value, radix: 16, uppercase: true)
                    result += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits + "]"
                }
            }
        }
        return result
    }

    /// Allows a line to break inside of long words such as JSON shapes, behind commas and bars.
    var breakable: RoffText {
        var copy = RoffText()
        let scalars = Array(source.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            copy.source.unicodeScalars.append(scalar)
            let isLast = index + 1 == scalars.count || scalars[index + 1] == " "
            if !isLast, scalar == "," || scalar == "|" || scalar == "/" { copy.source += "\\:" }
        }
        return copy
    }
}
