import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// A text with marks (❶ ❷ ❸ …) at the places of expected findings; the marks are not part of the text.
struct MarkedSource {
    /// The text without its marks.
    let text: String
    /// The place of each mark.
    let places: [Character: Position]

    /// Removes the marks of a text.
    init(_ marked: String) {
        var (text, places) = ("", [Character: Position]())
        var (line, column) = (1, 1)
        for character in marked {
            if "❶❷❸❹❺❻❼❽❾".contains(character) {
                places[character] = Position(line: line, column: column, offset: text.utf8.count)
                continue
            }
            text.append(character)
            if character == "\n" {
                (line, column) = (line + 1, 1)
            } else {
                column += character.unicodeScalars.count
            }
        }
        (self.text, self.places) = (text, places)
    }
}

/// A finding that a test expects at a mark.
struct Finding {
    /// The mark.
    let mark: Character
    /// The code.
    let code: LintCode
    /// The whole message.
    let message: String
    /// How bad it is.
    var severity = Severity.error

    /// Makes an error.
    init(_ mark: Character, _ code: LintCode, _ message: String, severity: Severity = .error) {
        (self.mark, self.code, self.message, self.severity) = (mark, code, message, severity)
    }
}
