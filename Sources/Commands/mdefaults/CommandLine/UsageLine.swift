/// One way to use a verb, as its usage line says it: words, options and operands.
///
/// The usage lines of verbs are the table that completion is made from, so that a new option needs no second list.
struct UsageLine {
    /// An option of the line.
    struct Option {
        /// Its name: `--since`.
        let name: String
        /// What its value is, `TIME`, or the words that it can be, `text|json`; `nil` for a flag.
        let value: String?
    }

    /// The words that follow the verb's name: `start` of `policy exam start SET`.
    private(set) var words: [String] = []
    /// The operands in their order: `DOMAIN`, `KEY`.
    private(set) var operands: [String] = []
    /// Whether the last operand may be repeated.
    private(set) var isLastRepeated = false
    /// The options.
    private(set) var options: [Option] = []

    /// Reads a line.
    ///
    /// - Parameters:
    ///   - text: the line without the program's name.
    ///   - name: the words of the verb, which the line begins with.
    init(_ text: String, of name: [String] = []) {
        var tokens = UsageLine.tokens(text)[...]
        if tokens.prefix(name.count).map(\.text) == name { tokens = tokens.dropFirst(name.count) }
        while let token = tokens.popFirst() {
            if token.text.utf8.first == UInt8(ascii: "-"), token.text.utf8.count > 1 {
                // A value follows its option inside of the same brackets.
                var value: String?
                if !token.isLastInBrackets, let next = tokens.first, !next.isFirstInBrackets, !next.isOption {
                    value = next.text
                    tokens = tokens.dropFirst()
                }
                options.append(Option(name: token.text, value: value))
            } else if UsageLine.isName(token.text) {
                operands.append(token.text)
                isLastRepeated = token.isRepeated
            } else if token.text.utf8.allSatisfy(UsageLine.isWordByte), token.text != "-", operands.isEmpty {
                words.append(token.text)
            }
        }
    }

    /// The lines of a verb.
    static func lines(_ usage: [String], of name: [String] = []) -> [UsageLine] {
        joined(usage).map { UsageLine($0, of: name) }
    }

    /// Joins each line that begins with a blank to the one that it continues.
    static func joined(_ usage: [String]) -> [String] {
        var texts: [String] = []
        for line in usage {
            let text = line.drop { $0 == " " }
            if text.utf8.count < line.utf8.count, let last = texts.popLast() {
                texts.append("\(last) \(text)")
            } else {
                texts.append(line)
            }
        }
        return texts
    }

    /// Formats usage lines as they are printed behind an error and at the head of the help.
    ///
    /// - Parameters:
    ///   - usage: the lines.
    ///   - head: what the first line begins with; blanks take its place in the others.
    /// - Returns: the lines, each with the program's name, or indented if it continues one.
    static func shown(_ usage: [String], head: String = "usage: ") -> [String] {
        joined(usage).enumerated().flatMap { index, line in
            folded((index == 0 ? head : Layout.blanks(head.count)) + "mdefaults \(line)")
        }
    }

    /// Breaks a line that is too long between its parts; brackets stay together.
    private static func folded(_ line: String) -> [String] {
        var depth = 0
        let parts = line.split(omittingEmptySubsequences: false) { character in
            depth += character == "[" ? 1 : character == "]" ? -1 : 0
            return character == " " && depth == 0
        }
        var lines: [String] = []
        for part in parts {
            guard let last = lines.last else {
                lines.append(String(part))
                continue
            }
            if Layout.columns(of: last) + 1 + Layout.columns(of: String(part)) <= width {
                lines[lines.count - 1] += " \(part)"
            } else {
                lines.append(Layout.blanks(indent) + part)
            }
        }
        return lines
    }

    /// The columns that lines fit into, because they are also read in files.
    private static let width = 80
    /// The blanks before the further parts of a line.
    private static let indent = 11

    /// One word of a line.
    private struct Token {
        /// The word without brackets and dots.
        var text = ""
        /// Whether brackets open before it.
        var isFirstInBrackets = false
        /// Whether brackets close behind it.
        var isLastInBrackets = false
        /// Whether dots say that it may be repeated.
        var isRepeated = false

        /// Whether it is an option.
        var isOption: Bool { text.utf8.first == UInt8(ascii: "-") }
    }

    /// Takes a line apart; alternatives that begin with a hyphen are options of their own.
    private static func tokens(_ line: String) -> [Token] {
        var tokens: [Token] = []
        var token = Token()
        /// Ends a word.
        func end() {
            if token.text.isEmpty {
                // Dots behind a blank belong to the word before them.
                if token.isRepeated, let last = tokens.indices.last { tokens[last].isRepeated = true }
            } else {
                tokens.append(token)
            }
            token = Token()
        }
        let scalars = Array(line.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            switch scalar {
            case " ": end()
            case "[": token.isFirstInBrackets = true
            case "]":
                if token.text.isEmpty, let last = tokens.indices.last {
                    tokens[last].isLastInBrackets = true
                } else {
                    token.isLastInBrackets = true
                }
            case "…": token.isRepeated = true
            case "'", "{", "}", ";", "=": break
            case "|" where index + 1 < scalars.count && scalars[index + 1] == "-": end()
            default: token.text.unicodeScalars.append(scalar)
            }
        }
        end()
        return tokens
    }

    /// Whether a word is to be replaced by what a person fills in: it has capitals.
    private static func isName(_ text: String) -> Bool {
        text.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }

    /// Whether a byte is one of a word that is typed as it is.
    private static func isWordByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "-")
    }
}
