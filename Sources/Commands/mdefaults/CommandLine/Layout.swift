import MDPlatform

/// Lines and columns of listings for people.
enum Layout {
    /// The columns that a listing fits into, unless a name or a path alone is longer.
    ///
    /// A file or another program gets every sentence in one line, because programs read lines.
    static let width = columns(of: .output)

    /// The columns of a message on standard error.
    static let messageWidth = columns(of: .error)

    /// The columns of a table, which grows with the terminal: rows are looked along, not read like sentences.
    static let tableWidth = width == .max ? .max : max(StandardStream.output.columns ?? 80, width)

    /// The columns of a sentence on a stream.
    private static func columns(of stream: StandardStream) -> Int {
        stream.isTerminal ? min(max(stream.columns ?? 80, narrowest), widest) : .max
    }

    /// Fewer columns than these are not worth the breaks.
    private static let narrowest = 40
    /// A cell that is cut to fewer columns says too little.
    private static let narrowestCell = 12
    /// Longer lines are hard to read.
    private static let widest = 120

    /// How many columns of a terminal a text takes.
    ///
    /// Ideographs, Hangul and emoji take two; combining marks belong to the character before them. The sequences of
    /// ``Ink`` take none: any other escape character was replaced.
    static func columns(of text: String) -> Int {
        var (columns, isInk) = (0, false)
        for character in text {
            guard let scalar = character.unicodeScalars.first else { continue }
            if isInk || scalar.value == 0x1b {
                isInk = scalar != "m"
            } else {
                columns += wide.contains { $0.contains(scalar.value) } ? 2 : 1
            }
        }
        return columns
    }

    /// The blocks of Unicode whose characters take two columns.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115f, 0x2e80...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f, 0xff00...0xff60,
        0xffe0...0xffe6, 0x1f300...0x1f64f, 0x1f900...0x1faff, 0x20000...0x3fffd,
    ]

    /// Pads a text with blanks.
    static func pad(_ text: String, to columns: Int) -> String {
        text + blanks(columns - Layout.columns(of: text))
    }

    /// Shortens a text that is too long for a terminal, and ends it in `…`.
    static func cut(_ text: String, to columns: Int) -> String {
        guard isCut(text, to: columns) else { return text }
        var kept = ""
        var room = columns - 1
        for character in text {
            room -= Layout.columns(of: String(character))
            if room < 0 { break }
            kept.append(character)
        }
        return kept + "…"
    }

    /// Whether ``cut(_:to:)`` shortens a text; it does not for a file or another program.
    static func isCut(_ text: String, to columns: Int) -> Bool {
        width != .max && Layout.columns(of: text) > columns
    }

    /// Breaks a sentence between words; a word that is longer than a line, a path for example, stays whole.
    ///
    /// - Parameters:
    ///   - text: the sentence, without line feeds.
    ///   - indent: the blanks before every line.
    ///   - first: the text in place of the blanks in the first line, with at most as many columns.
    ///   - width: the columns that there are.
    /// - Returns: the lines, at least one.
    static func wrap(_ text: String, indent: Int, first: String? = nil, to width: Int = width) -> [String] {
        var lines: [String] = []
        var line = ""
        // The columns of the line so far, and those that there are.
        var used = 0
        var room = width - min(columns(of: first ?? blanks(indent)), indent)
        // Blanks that keep columns apart stay, but for those at a break.
        var gap = 0
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            gap += 1
            guard !word.isEmpty else { continue }
            let more = columns(of: String(word))
            if line.isEmpty {
                (line, used) = (String(word), more)
            } else if used + gap + more <= room {
                line += blanks(gap) + word
                used += gap + more
            } else {
                lines.append(line)
                (line, used) = (String(word), more)
                room = width - indent
            }
            gap = 0
        }
        return (lines + [line]).enumerated().map { index, line in
            (index == 0 ? first ?? blanks(indent) : blanks(indent)) + line
        }
    }

    /// Breaks a row that is too long between words, and indents what goes on.
    ///
    /// - Parameters:
    ///   - row: the row, without line feeds; its first blanks stay.
    ///   - indent: how much more than these the further lines are indented.
    ///   - width: the columns that there are.
    /// - Returns: the lines, at least one.
    static func fold(_ row: String, indent: Int = 4, to width: Int = tableWidth) -> [String] {
        if width == .max || columns(of: row) <= width { return [row] }
        let lead = row.prefix { $0 == " " }
        return wrap(row, indent: lead.count + indent, first: String(lead), to: width)
    }

    /// Rewraps a text of several paragraphs for a terminal; a file or another program gets it as it is.
    ///
    /// - Parameter text: lines of up to 112 columns. A line continues the one before if its first word did not fit there,
    ///   and it does not begin with a blank.
    /// - Returns: the lines.
    static func reflow(_ text: String) -> [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard width != .max else { return lines.map(String.init) }
        var paragraphs: [String] = []
        var last = 0
        for line in lines {
            let word = line.prefix { $0 != " " }
            let isFull = last + 1 + columns(of: String(word)) > 108
            last = columns(of: String(line))
            if isFull, !word.isEmpty, let paragraph = paragraphs.popLast() {
                paragraphs.append("\(paragraph) \(line)")
            } else {
                paragraphs.append(String(line))
            }
        }
        return paragraphs.flatMap { paragraph in
            let indent = paragraph.prefix { $0 == " " }.count
            return columns(of: paragraph) <= width ? [paragraph] : wrap(paragraph, indent: indent)
        }
    }

    /// Two texts side by side, or below each other if a terminal is too narrow.
    static func beside(_ left: String, _ right: String, gap: Int = 2, indent: Int) -> [String] {
        let line = left + blanks(gap) + right
        if tableWidth == .max || columns(of: line) <= tableWidth { return [line] }
        return fold(left) + wrap(right, indent: indent, to: tableWidth)
    }

    /// The widths of a table's columns: those of their widest cells, or less where a terminal is too narrow.
    ///
    /// - Parameters:
    ///   - rows: the cells.
    ///   - cutting: the columns whose cells can be cut, the widest of them first.
    ///   - gap: the blanks between columns.
    /// - Returns: a width for each column.
    static func widths(of rows: [[String]], cutting: [Int] = [], gap: Int = 2) -> [Int] {
        let count = rows.map(\.count).max() ?? 0
        var widths = (0..<count).map { column in
            rows.map { column < $0.count ? columns(of: $0[column]) : 0 }.max() ?? 0
        }
        guard tableWidth != .max else { return widths }
        var excess = widths.reduce(gap * (count - 1), +) - tableWidth
        while excess > 0, let widest = cutting.max(by: { widths[$0] < widths[$1] }), widths[widest] > narrowestCell {
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    /// A table; cells that are wider than their column are cut, and the last one is not padded.
    static func table(_ rows: [[String]], cutting: [Int] = [], gap: Int = 2) -> [String] {
        let widths = widths(of: rows, cutting: cutting, gap: gap)
        return rows.map { row in
            row.enumerated().map { index, cell in
                let cell = cut(cell, to: widths[index])
                return index == row.count - 1 ? cell : pad(cell, to: widths[index] + gap)
            }.joined()
        }
    }

    /// Makes blanks; none for a negative number.
    static func blanks(_ count: Int) -> String {
        String(repeating: " ", count: max(count, 0))
    }
}
