/// A manual page while it is written, in the macros of `man(7)`.
struct RoffPage {
    /// What is printed at the head and foot of a page.
    struct Title {
        /// The name of the page.
        let name: String
        /// Its section: 1, 3, 5 or 8.
        let section: Int
        /// The day of the sources.
        let date: String
        /// The version of the package.
        let version: String
    }

    /// The lines so far.
    private(set) var lines: [String]

    /// The most bytes of a line of text; roff refills lines.
    private static let width = 78

    /// Begins a page.
    ///
    /// - Parameters:
    ///   - title: its head.
    ///   - summary: what it is about, in one line without a full stop.
    init(_ title: Title, summary: RoffText) {
        let name = RoffText.escape(title.name, isLiteral: true)
        lines = [
            ".\\\" Made by manual-pages from the documents of ManagedDefaults; do not edit.",
            ".TH \(name.uppercased()) \(title.section) \(title.date) \"\(title.version)\" \"ManagedDefaults\"",
            // Lines are ragged and words whole: in 80 columns, names and JSON would leave wide gaps.
            ".ad l",
            ".nh",
            ".SH NAME",
        ]
        text(RoffText(title.name, .roman), joined: " \\- ", summary)
    }

    /// The page as a file has it.
    var source: String { lines.joined(separator: "\n") + "\n" }

    /// Begins a section; its title is shown in capitals.
    mutating func section(_ title: RoffText) { lines.append(".SH \"\(RoffPage.argument(title).uppercasedText)\"") }

    /// Begins a part of a section.
    mutating func part(_ title: RoffText) { lines.append(".SS \"\(RoffPage.argument(title))\"") }

    /// Writes a paragraph.
    mutating func paragraph(_ text: RoffText) {
        beginParagraph()
        fill(text)
    }

    /// Begins a paragraph; behind a heading there is one already.
    private mutating func beginParagraph() {
        if let last = lines.last, !last.utf8.starts(with: ".S".utf8) { lines.append(".PP") }
    }

    /// Writes a paragraph that hangs from a tag.
    mutating func item(_ tag: RoffText, _ text: RoffText) {
        lines.append(".TP")
        lines.append(RoffPage.guarded(tag.source))
        if text.source.isEmpty { lines.append("\\&") } else { fill(text) }
    }

    /// Writes an item of a list.
    mutating func bullet(_ text: RoffText) {
        lines.append(".IP \\(bu 2")
        fill(text)
    }

    /// Writes lines as they are.
    mutating func example(_ texts: [String]) {
        beginParagraph()
        lines += [".RS 4", ".EX"]
        lines += texts.map { RoffPage.guarded(RoffText.escape($0, isLiteral: true)) }
        lines += [".EE", ".RE"]
    }

    /// Writes a way to use a command; what does not fit into a line goes on below what follows the command's name.
    mutating func usage(of command: String, _ text: RoffText) {
        lines += [".PD 0", ".TP \(command.utf8.count + 1)"]
        lines.append(RoffText(command, .bold).source)
        fill(text)
        lines.append(".PD")
    }

    /// Writes two texts on one line.
    private mutating func text(_ one: RoffText, joined separator: String, _ other: RoffText) {
        lines.append(RoffPage.guarded(one.source + separator + other.source))
    }

    /// Writes text in lines of a moderate length.
    private mutating func fill(_ text: RoffText) {
        var line = ""
        for word in text.source.split(separator: " ") {
            if !line.isEmpty, line.utf8.count + 1 + word.utf8.count > RoffPage.width {
                lines.append(RoffPage.guarded(line))
                line = ""
            }
            line += line.isEmpty ? String(word) : " \(word)"
        }
        if !line.isEmpty { lines.append(RoffPage.guarded(line)) }
    }

    /// A line of text that begins like a macro, made text.
    private static func guarded(_ line: String) -> String {
        line.utf8.first == UInt8(ascii: ".") || line.utf8.first == UInt8(ascii: "'") ? "\\&" + line : line
    }

    /// A text as the argument of a macro, in which quotes end it.
    private static func argument(_ text: RoffText) -> String {
        text.source.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\(dq")
    }
}

extension String {
    /// The text in capitals, but for escapes.
    fileprivate var uppercasedText: String {
        var result = ""
        var isEscape = 0
        for scalar in unicodeScalars {
            if scalar == "\\" { isEscape = 3 }
            result += isEscape > 0 ? String(scalar) : String(scalar).uppercased()
            isEscape -= isEscape > 0 ? 1 : 0
        }
        return result
    }
}
