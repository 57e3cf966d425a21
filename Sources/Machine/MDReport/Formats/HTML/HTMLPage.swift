import MDPlatform
import MDTools

/// The parts that every page has.
extension HTMLWriter {
    /// Adds everything before the first section: head, title and facts.
    ///
    /// - Parameters:
    ///   - title: the title.
    ///   - subject: what the page is about, for the header of printed pages.
    ///   - time: when it was made.
    ///   - facts: names and what they are.
    ///   - header: what the page is, before its subject in that header.
    package mutating func begin(
        title: String, subject: String, time: String, facts: [(String, String)],
        header: StaticString = "Compliance report of"
    ) {
        markup(
            """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width,initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none';style-src 'unsafe-inline'
            """)
        if isScripted { markup(";script-src 'unsafe-inline'") }
        markup("\">\n")
        element("title", "\(title): \(subject)")
        markup("\n<style>\n")
        markup(HTMLStyle.sheet)
        // The header of each printed page; a string of CSS, in which nothing but letters, digits and signs is left.
        let name = subject.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-" || $0 == " ") }
        trusted(
            "@page{size:A4;margin:20mm 15mm;@top-left{content:\"\(header) \(name)\"}"
                + "@top-right{content:\"\(time)\"}"
                + "@bottom-right{content:counter(page) \" of \" counter(pages)}}\n</style></head>\n<body>\n")
        markup("<a class=\"skip\" href=\"#results\">To the results</a>\n<header>")
        element("h1", title)
        markup("<dl class=\"facts\">")
        for (name, text) in facts {
            element("dt", name)
            element("dd", text)
        }
        markup("</dl></header>\n<main>\n")
    }

    /// Adds the result in a box; `kind` is the name of a class of the style sheet.
    package mutating func verdict(_ words: String, _ sentence: String, kind: StaticString) {
        markup("<div class=\"verdict ")
        markup(kind)
        markup("\">")
        element("strong", words)
        text(sentence)
        markup("</div>\n")
    }

    /// Adds a list of sentences.
    package mutating func list(_ sentences: [String]) {
        markup("<ul>")
        for sentence in sentences { element("li", sentence) }
        markup("</ul>\n")
    }

    /// Adds a whole table.
    package mutating func table(_ caption: String, _ columns: [String], short: [Int] = [], _ rows: [[String]]) {
        guard !rows.isEmpty else { return }
        beginTable(caption, columns, short: short, rows: rows.count)
        for cells in rows { row(cells) }
        endTable()
    }

    /// A title, with how many of a list are shown if that is not all.
    package static func title(_ title: String, first shown: Int, of count: Int) -> String {
        count > shown ? "\(title), the first \(shown) of \(count)" : title
    }

    /// Adds the places to sign a printed page.
    mutating func signatures() {
        markup(
            """
            <div class="sign"><p>Date, name and signature of who made it</p>\
            <p>Date, name and signature of who checked it</p></div>

            """)
    }

    /// Adds everything after the last section; `foot` are sentences before the line about the program.
    package mutating func end(version: String, foot: [String] = []) {
        markup("</main>\n<footer class=\"soft\">")
        for sentence in foot { element("p", sentence) }
        text("Made by mdefaults \(version). The file loads nothing from anywhere.")
        markup("</footer>\n")
        if isScripted {
            markup("<script>\n")
            markup(HTMLStyle.script)
            markup("</script>")
        }
        markup("</body></html>\n")
    }
}
