/// The text that `help` prints of a verb, in blocks.
struct HelpText {
    /// A block.
    enum Block: Equatable {
        /// Lines that are filled.
        case paragraph(String)
        /// A word or an option, and what it means.
        case item(tag: String, text: String)
        /// Lines that stay as they are.
        case lines([String])
        /// The shape of the JSON that the verb prints.
        case json(String)
        /// The exit codes.
        case exitCodes([Code])
    }

    /// An exit code.
    struct Code: Equatable {
        /// The number.
        let number: String
        /// What it means.
        let meaning: String
    }

    /// The blocks, the exit codes last.
    private(set) var blocks: [Block] = []

    /// Takes a text apart.
    init(_ text: String) {
        var codes: [Block] = []
        for group in text.split(separator: "\n", omittingEmptySubsequences: false).split(whereSeparator: \.isEmpty) {
            var lines = group.map(String.init)[...]
            while let line = lines.first {
                if let block = HelpText.item(&lines) ?? HelpText.codes(&lines) ?? HelpText.plain(&lines) {
                    if case .exitCodes = block { codes.append(block) } else { blocks.append(block) }
                } else {
                    blocks.append(.paragraph(line))
                    lines = lines.dropFirst()
                }
            }
        }
        blocks += codes
    }

    /// Consumes an item: a tag, two blanks, and a text that goes on in lines with a deeper indent.
    private static func item(_ lines: inout ArraySlice<String>) -> Block? {
        guard let line = lines.first else { return nil }
        let depth = indent(of: line)
        let next = lines.dropFirst().first
        // A long tag has its text below it.
        let isAlone =
            depth > 0 && line.dropFirst(depth).hasPrefix("-") && next.map { indent(of: $0) > depth + 1 } ?? false
        guard let (tag, text) = columns(line) ?? (isAlone ? (MarkdownBlock.trimmed(line), "") : nil) else { return nil }
        // In prose two blanks are a slip; a list has an indent, options, or lines that continue below the text.
        guard depth > 0 || tag.hasPrefix("-") || next.map({ indent(of: $0) > 3 }) ?? false else { return nil }
        lines = lines.dropFirst()
        var texts = text.isEmpty ? [] : [text]
        while let more = lines.first, indent(of: more) > depth + 1, columns(more) == nil {
            texts.append(MarkdownBlock.trimmed(more))
            lines = lines.dropFirst()
        }
        return .item(tag: tag, text: texts.joined(separator: " "))
    }

    /// Consumes the list of exit codes.
    private static func codes(_ lines: inout ArraySlice<String>) -> Block? {
        let head = "exit codes: "
        guard let line = lines.first, line.hasPrefix(head) else { return nil }
        var text = lines.joined(separator: " ").dropFirst(head.count)
        if text.hasSuffix(".") { text = text.dropLast() }
        lines = []
        var codes: [Code] = []
        for part in text.split(separator: ";").map({ MarkdownBlock.trimmed(String($0)) }) {
            let number = part.prefix { $0 != " " }
            if Int(number) != nil {
                let meaning = part.dropFirst(number.count + 1)
                codes.append(Code(number: String(number), meaning: String(meaning)))
            } else if let last = codes.popLast() {
                codes.append(Code(number: last.number, meaning: "\(last.meaning); \(part)"))
            } else {
                return .paragraph("exit codes: " + text)
            }
        }
        return .exitCodes(codes)
    }

    /// Consumes a paragraph, the shape of JSON, or lines with an indent.
    private static func plain(_ lines: inout ArraySlice<String>) -> Block? {
        guard let line = lines.first else { return nil }
        let isIndented = indent(of: line) > 0
        if isIndented {
            let block = lines.prefix { indent(of: $0) > 0 && columns($0) == nil }
            guard !block.isEmpty else { return nil }
            lines = lines.dropFirst(block.count)
            return .lines(Array(block))
        }
        let head = "JSON"
        let isJSON = line.hasPrefix("\(head):")
        // A shape that is wrapped goes on below an indent.
        let block =
            [line]
            + lines.dropFirst().prefix { other in
                !other.hasPrefix("exit codes: ") && !other.hasPrefix("JSON:")
                    && (isJSON || (indent(of: other) == 0 && !other.hasPrefix("-")))
            }
        lines = lines.dropFirst(block.count)
        let text = block.map(MarkdownBlock.trimmed).joined(separator: " ")
        return isJSON ? .json(MarkdownBlock.trimmed(String(text.dropFirst(head.count + 1)))) : .paragraph(text)
    }

    /// The two columns of a line, which two blanks keep apart.
    private static func columns(_ line: String) -> (tag: String, text: String)? {
        let text = MarkdownBlock.trimmed(line)
        var blanks = 0
        for index in text.indices {
            if text[index] == " " {
                blanks += 1
            } else if blanks > 1 {
                return (MarkdownBlock.trimmed(String(text[..<index])), String(text[index...]))
            } else {
                blanks = 0
            }
        }
        return nil
    }

    /// How many blanks a line begins with.
    private static func indent(of line: String) -> Int { line.prefix { $0 == " " }.count }
}
