import MDPropertyList

/// A verb of the command, as `mdefaults help --json` describes it.
struct DescribedVerb {
    /// Its words: `policy lint`.
    let name: String
    /// What it does, in one line.
    let summary: String
    /// Its usage lines.
    let usage: [String]
    /// Options, JSON shape and exit codes.
    let help: String
    /// The options of the program that it accepts.
    let options: [String]

    /// The name of its page.
    var page: String { "mdefaults-" + name.split(separator: " ").joined(separator: "-") }

    /// Reads all verbs.
    ///
    /// - Throws: a sentence for a document of another form.
    static func all(_ document: [UInt8]) throws(PageFailure) -> [DescribedVerb] {
        guard let text = try? SourceText(decoding: document), let content = try? JSONReader.readPlain(text),
            case .array(let verbs) = content.root.value
        else { throw PageFailure("The verbs are no list of JSON.") }
        var result: [DescribedVerb] = []
        for case .dictionary(let members) in verbs {
            /// A text of the verb.
            func text(_ name: String) throws(PageFailure) -> String {
                if case .string(let text)? = members[Key(name)] { return text }
                throw PageFailure("A verb lacks \(name).")
            }
            /// A list of texts.
            func list(_ name: String) -> [String] {
                guard case .array(let values)? = members[Key(name)] else { return [] }
                return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
            }
            result.append(
                DescribedVerb(
                    name: try text("verb"), summary: try text("summary"), usage: list("usage"), help: try text("help"),
                    options: list("options")))
        }
        return result
    }
}

/// The manual page of one verb.
enum VerbPage {
    /// Makes the page.
    ///
    /// - Parameters:
    ///   - verb: the verb.
    ///   - others: all verbs; those of the same group are named.
    ///   - date: the day of the sources.
    ///   - version: the version of the package.
    /// - Returns: the page as a file has it.
    static func source(
        of verb: DescribedVerb, among others: [DescribedVerb], date: String, version: String
    ) -> String {
        let title = RoffPage.Title(name: verb.page, section: 1, date: date, version: version)
        var page = RoffPage(title, summary: RoffText(verb.summary))
        page.section(RoffText("Synopsis"))
        for line in lines(of: verb.usage) { page.usage(of: "mdefaults", usage(line)) }
        page.section(RoffText("Description"))
        add(HelpText(verb.help), to: &page)
        if !verb.options.isEmpty {
            page.section(RoffText("Options of the program"))
            var text = RoffText()
            for (index, option) in verb.options.enumerated() {
                if index > 0 { text.append(index == verb.options.count - 1 ? " and " : ", ") }
                text.append(option, .bold)
            }
            text.append(verb.options.count == 1 ? " is accepted; " : " are accepted; ")
            text.append(ArticlePage.list(["mdefaults(1)"]))
            text.append(verb.options.count == 1 ? " explains it." : " explains them.")
            page.paragraph(text)
        }
        page.section(RoffText("See also"))
        let group = verb.name.split(separator: " ").first
        let near = others.filter { $0.name != verb.name && $0.name.split(separator: " ").first == group }
        page.paragraph(
            ArticlePage.list(["mdefaults(1)", "mdefaults-policy(5)"] + near.map { "\($0.page)(1)" }))
        return page.source
    }

    /// The usage lines; one that begins with a blank continues the one before it.
    private static func lines(of usage: [String]) -> [String] {
        var lines: [String] = []
        for line in usage {
            if line.utf8.first == UInt8(ascii: " "), let last = lines.popLast() {
                lines.append(last + " " + MarkdownBlock.trimmed(line))
            } else {
                lines.append(line)
            }
        }
        return lines
    }

    /// A usage line: words and options are bold, what a person fills in is italic.
    private static func usage(_ line: String) -> RoffText {
        var text = RoffText()
        var word = ""
        /// Writes the word that was collected.
        func flush() {
            let isName = word.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            text.append(word, isName ? .italic : .bold)
            word = ""
        }
        for scalar in line.unicodeScalars {
            if "[]|{}… ".unicodeScalars.contains(scalar) {
                flush()
                text.append(String(scalar))
            } else {
                word.unicodeScalars.append(scalar)
            }
        }
        flush()
        return text
    }

    /// Writes the text of `help`.
    private static func add(_ help: HelpText, to page: inout RoffPage) {
        for block in help.blocks {
            switch block {
            case .paragraph(let text): page.paragraph(RoffText(text).breakable)
            case .item(let tag, let text): page.item(RoffText(tag, .bold), RoffText(text).breakable)
            case .lines(let lines): page.example(lines)
            case .json(let text):
                page.section(RoffText("JSON"))
                page.paragraph(RoffText(text).breakable)
            case .exitCodes(let codes):
                page.section(RoffText("Exit status"))
                for code in codes { page.item(RoffText(code.number, .bold), RoffText(code.meaning)) }
            }
        }
    }
}
