import Platform

/// A string of a policy file with variables: `${user}`, `${uid}`, `${home}`, `${host}`; `$${` is a literal `${`.
struct Template {
    /// The variables that exist.
    enum Variable: String, CaseIterable {
        /// The user's name.
        case user
        /// The user's id in decimal digits.
        case uid
        /// The user's home directory.
        case home
        /// The short name of the host.
        case host
    }

    /// A stretch of the string.
    enum Part {
        /// Text that stays as it is.
        case text(Substring)
        /// A variable.
        case variable(Variable)
    }

    /// Why a string is no template.
    enum Mistake: Error {
        /// A variable that does not exist.
        case unknown(String)
        /// A `${` without its `}`.
        case unterminated

        /// What is wrong, in words, and what is probably meant.
        var message: String {
            switch self {
            case .unterminated: return "a ${ has no }; $${ stands for a literal ${"
            case .unknown(let name):
                let nearest = Suggestion.nearest(to: name, among: Variable.allCases.map(\.rawValue))
                let hint = nearest.map { "; ${\($0)} is probably meant" } ?? ""
                return "there is no variable ${\(Printable.escape(name))}\(hint); $${ stands for a literal ${"
            }
        }
    }

    /// The stretches in order.
    let parts: [Part]

    /// Whether a string has anything that is not literal text.
    static func isNeeded(for text: String) -> Bool {
        var afterDollar = false
        for byte in text.utf8 {
            if afterDollar, byte == UInt8(ascii: "{") { return true }
            afterDollar = byte == UInt8(ascii: "$")
        }
        return false
    }

    /// Takes a string apart, from left to right.
    ///
    /// - Throws: the first mistake in it.
    init(_ text: String) throws(Mistake) {
        // Bytes, not characters: `$` with a combining mark after it must not hide the brace that follows.
        let utf8 = text.utf8
        var parts: [Part] = []
        var (start, index) = (utf8.startIndex, utf8.startIndex)
        while index < utf8.endIndex {
            let rest = utf8[index...]
            if rest.starts(with: "$${".utf8) {
                // One of the two dollar signs is the escape; the other and the brace are the text.
                parts.append(.text(text[start..<index]))
                start = utf8.index(after: index)
                index = utf8.index(index, offsetBy: 3)
            } else if rest.starts(with: "${".utf8) {
                parts.append(.text(text[start..<index]))
                let begin = utf8.index(index, offsetBy: 2)
                guard let end = utf8[begin...].firstIndex(of: UInt8(ascii: "}")) else { throw .unterminated }
                let name = String(text[begin..<end])
                guard let variable = Variable(rawValue: name) else { throw .unknown(name) }
                parts.append(.variable(variable))
                index = utf8.index(after: end)
                start = index
            } else {
                index = utf8.index(after: index)
            }
        }
        parts.append(.text(text[start...]))
        self.parts = parts
    }

    /// The string for a subject.
    func expanded(for subject: Subject) -> String {
        parts.reduce(into: "") { result, part in
            switch part {
            case .text(let text): result += text
            case .variable(.user): result += subject.userName
            case .variable(.uid): result += String(subject.uid)
            case .variable(.home): result += subject.home
            case .variable(.host): result += subject.host.short
            }
        }
    }
}
