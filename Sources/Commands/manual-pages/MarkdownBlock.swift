/// A block of an article of a DocC catalog.
enum MarkdownBlock: Equatable {
    /// A heading of a level, 1 for the title.
    case heading(level: Int, text: String)
    /// Lines that are filled.
    case paragraph(String)
    /// An item of a list.
    case item(String)
    /// Lines that stay as they are.
    case code([String])
    /// A table: its head, and its rows.
    case table(head: [String], rows: [[String]])

    /// Takes an article apart.
    ///
    /// The articles use headings, paragraphs, lists of one level, fenced code and tables. Directives (`@Metadata`) are left
    /// out, because they say nothing to readers of a page.
    static func blocks(of article: String) -> [MarkdownBlock] {
        var parser = Parser(
            lines: article.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)[...])
        return parser.blocks()
    }

    /// The cells of a row of a table; a bar behind a backslash is text.
    static func cells(of row: String) -> [String] {
        var cells: [String] = []
        var cell = ""
        var isEscaped = false
        for scalar in row.unicodeScalars.dropFirst() {
            if isEscaped {
                if scalar != "|" { cell += "\\" }
                cell.unicodeScalars.append(scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "|" {
                cells.append(trimmed(cell))
                cell = ""
            } else {
                cell.unicodeScalars.append(scalar)
            }
        }
        return cells
    }

    /// A text without blanks around it.
    static func trimmed(_ text: String) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

/// Reads blocks line by line.
private struct Parser {
    /// The lines that are left.
    var lines: ArraySlice<String>

    /// Reads all blocks.
    mutating func blocks() -> [MarkdownBlock] {
        var blocks: [MarkdownBlock] = []
        while let line = lines.popFirst() {
            if line.hasPrefix("```") {
                blocks.append(.code(taken { !$0.hasPrefix("```") }))
                lines = lines.dropFirst()
            } else if line.hasPrefix("#") {
                let level = line.prefix { $0 == "#" }.count
                blocks.append(.heading(level: level, text: MarkdownBlock.trimmed(String(line.dropFirst(level)))))
            } else if line.hasPrefix("|") {
                let rows = ([line] + taken { $0.hasPrefix("|") }).map(MarkdownBlock.cells)
                blocks.append(.table(head: rows[0], rows: Array(rows.dropFirst(2))))
            } else if line.hasPrefix("- ") {
                let more = taken { $0.hasPrefix("  ") && !MarkdownBlock.trimmed($0).isEmpty }
                blocks.append(
                    .item(([String(line.dropFirst(2))] + more).map(MarkdownBlock.trimmed).joined(separator: " ")))
            } else if line.hasPrefix("@") {
                _ = taken { !$0.isEmpty }
            } else if !MarkdownBlock.trimmed(line).isEmpty {
                let more = taken { next in
                    !next.isEmpty && !["|", "#", "```", "- "].contains { next.hasPrefix($0) }
                }
                blocks.append(.paragraph(([line] + more).map(MarkdownBlock.trimmed).joined(separator: " ")))
            }
        }
        return blocks
    }

    /// Consumes lines as long as they belong to a block.
    private mutating func taken(_ belongs: (String) -> Bool) -> [String] {
        let block = Array(lines.prefix(while: belongs))
        lines = lines.dropFirst(block.count)
        return block
    }
}
