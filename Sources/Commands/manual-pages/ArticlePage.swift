/// A manual page made of an article whose title is `name(section)`.
struct ArticlePage {
    /// The name and section.
    let title: RoffPage.Title
    /// What it is about, in one line.
    let summary: String
    /// The page.
    let source: String

    /// The articles that are manual pages, by their names in links.
    static let pages = [
        "mdefaults-1": "mdefaults(1)", "mdefaults-policy": "mdefaults-policy(5)", "mdefaultsd-8": "mdefaultsd(8)",
        "managed-defaults-3": "managed-defaults(3)",
    ]

    /// Where the other articles of the catalog are installed.
    private static let documents = "/usr/share/doc/managed-defaults"

    /// Makes the page of an article.
    ///
    /// - Parameters:
    ///   - article: its text.
    ///   - date: the day of the sources.
    ///   - version: the version of the package.
    ///   - also: pages that the last section names besides those of the article.
    /// - Throws: a sentence if the article is not a manual page.
    init(_ article: String, date: String, version: String, also: [String] = []) throws(PageFailure) {
        var blocks = MarkdownBlock.blocks(of: article)[...]
        guard case .heading(1, let head)? = blocks.popFirst(), case .paragraph(let summary)? = blocks.popFirst(),
            let bracket = head.firstIndex(of: "("), let section = Int(head[head.index(after: bracket)...].prefix(1))
        else {
            throw PageFailure("An article that is a manual page begins with a title, name(section), and a sentence.")
        }
        title = RoffPage.Title(name: String(head[..<bracket]), section: section, date: date, version: version)
        self.summary = ArticlePage.summary(summary)
        var page = RoffPage(title, summary: ArticlePage.inline(self.summary))
        for block in blocks {
            switch block {
            case .heading(2, let text) where text == "See also": page.section(RoffText("See also"))
            case .heading(2, let text): page.section(ArticlePage.inline(text))
            case .heading(_, let text): page.part(ArticlePage.inline(text))
            case .paragraph(let text): page.paragraph(ArticlePage.inline(text))
            case .item(let text): page.bullet(ArticlePage.inline(text))
            case .code(let lines): page.example(lines)
            case .table(let head, let rows): ArticlePage.add(rows, under: head, to: &page)
            }
        }
        if !also.isEmpty {
            page.section(RoffText(ArticlePage.hasSeeAlso(blocks) ? "Verbs" : "See also"))
            page.paragraph(ArticlePage.list(also))
        }
        source = page.source
    }

    /// A sentence without its full stop, as the first line of a page has it.
    static func summary(_ sentence: String) -> String {
        sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    }

    /// The names of pages, separated by commas.
    static func list(_ pages: [String]) -> RoffText {
        var text = RoffText()
        for (index, page) in pages.enumerated() {
            let name = page.prefix { $0 != "(" }
            if index > 0 { text.append(", ") }
            text.append(String(name), .bold)
            text.append(String(page.dropFirst(name.count)))
        }
        return text
    }

    /// Whether an article names other pages itself.
    private static func hasSeeAlso(_ blocks: some Sequence<MarkdownBlock>) -> Bool {
        blocks.contains { $0 == .heading(level: 2, text: "See also") }
    }

    /// Writes a table as a list: a row hangs from its first cell, and cells between the first and the last have the heads of
    /// their columns before them.
    private static func add(_ rows: [[String]], under head: [String], to page: inout RoffPage) {
        for row in rows {
            guard let first = row.first else { continue }
            var text = RoffText()
            for (index, cell) in row.enumerated().dropFirst().dropLast() where !cell.isEmpty {
                if index < head.count, !head[index].isEmpty { text.append("\(head[index]): ", .italic) }
                text.append(inline(cell))
                text.append(index == row.count - 2 ? ". " : "; ")
            }
            if let last = row.last, row.count > 1 {
                // A column of meanings needs no name.
                if row.count > 2, row.count == head.count, let name = head.last, name != "meaning" {
                    text.append("\(name): ", .italic)
                }
                text.append(inline(last))
            }
            page.item(inline(first), text.breakable)
        }
    }

    /// Makes text of a line: code is bold, and links name pages.
    static func inline(_ line: String) -> RoffText {
        var text = RoffText()
        var rest = line.unicodeScalars[...]
        var plain = ""
        /// Writes what was collected.
        func flush() {
            text.append(plain)
            plain = ""
        }
        while let scalar = rest.popFirst() {
            if scalar == "`", let end = rest.firstIndex(of: "`") {
                flush()
                text.append(String(rest[..<end]), .bold)
                rest = rest[rest.index(after: end)...]
            } else if scalar == "*", rest.first == "*", let end = closing("**", in: rest.dropFirst()) {
                flush()
                text.append(inline(String(rest.dropFirst()[..<end])))
                rest = rest[end...].dropFirst(2)
            } else if scalar == "*", rest.first != " ", let end = rest.firstIndex(of: "*") {
                flush()
                text.append(String(rest[..<end]), .italic)
                rest = rest[rest.index(after: end)...]
            } else if scalar == "<", rest.starts(with: "doc:".unicodeScalars), let end = rest.firstIndex(of: ">") {
                flush()
                let name = String(String.UnicodeScalarView(rest[..<end].dropFirst(4).prefix { $0 != "#" }))
                if let page = pages[name] {
                    text.append(list([page]))
                } else {
                    text.append("\(documents)/\(name).md", .italic)
                }
                rest = rest[rest.index(after: end)...]
            } else {
                plain.unicodeScalars.append(scalar)
            }
        }
        flush()
        return text
    }

    /// The place of two asterisks.
    private static func closing(
        _ mark: String, in text: Substring.UnicodeScalarView
    ) -> Substring.UnicodeScalarView.Index? {
        text.indices.first { text[$0...].starts(with: mark.unicodeScalars) }
    }
}

/// Why a page cannot be made, as a sentence.
struct PageFailure: Error, CustomStringConvertible {
    /// The sentence.
    let description: String

    /// Makes a failure.
    init(_ description: String) { self.description = description }
}
