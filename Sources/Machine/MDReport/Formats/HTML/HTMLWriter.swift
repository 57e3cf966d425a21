import MDPlatform

/// Writes HTML; text is escaped, and tags are what this program says.
package struct HTMLWriter {
    package private(set) var bytes: [UInt8] = []
    /// Whether the page has the script that sorts, filters and unfolds tables.
    let isScripted: Bool
    /// The table with more rows than one part has, while it is written.
    private var parts: Parts?

    /// The most rows of a table, and of each folded part of a longer one: a browser lays out that many at once.
    static let partLimit = 1_000

    /// A table in parts.
    private struct Parts {
        let caption: String
        let columns: [String]
        let short: [Int]
        let count: Int
        var written = 0
    }

    package init(isScripted: Bool = true) {
        self.isScripted = isScripted
        bytes.reserveCapacity(1 << 20)
    }

    /// Adds markup as it is.
    package mutating func markup(_ text: StaticString) {
        text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Adds markup that this program made of numbers and fixed words.
    mutating func trusted(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Adds text, with control characters made visible.
    package mutating func text(_ text: String) {
        // Most texts need no escape.
        if text.utf8.allSatisfy({ HTMLWriter.isPlain($0) }) {
            bytes.append(contentsOf: text.utf8)
            return
        }
        for byte in Printable.escape(text).utf8 {
            switch byte {
            case UInt8(ascii: "&"): markup("&amp;")
            case UInt8(ascii: "<"): markup("&lt;")
            case UInt8(ascii: ">"): markup("&gt;")
            case UInt8(ascii: "\""): markup("&quot;")
            case UInt8(ascii: "'"): markup("&#39;")
            default: bytes.append(byte)
            }
        }
    }

    /// Whether a byte is a printable character of ASCII that needs no escape.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): false
        // A backslash is escaped like what it escapes.
        case UInt8(ascii: "\\"): false
        default: byte >= 0x20 && byte < 0x7f
        }
    }

    /// Adds an element with text.
    package mutating func element(_ tag: String, _ attributes: String = "", _ content: String) {
        markup("<")
        trusted(tag)
        if !attributes.isEmpty {
            markup(" ")
            trusted(attributes)
        }
        markup(">")
        text(content)
        markup("</")
        trusted(tag)
        markup(">")
    }

    /// Adds the beginning of a table in a region that scrolls by itself on narrow screens; a long one has folded parts.
    ///
    /// - Parameters:
    ///   - caption: what the table has.
    ///   - columns: the names of the columns.
    ///   - short: the columns, counted from 1, whose cells are short words or numbers, and do not break.
    ///   - count: how many rows follow, where they can be many.
    package mutating func beginTable(_ caption: String, _ columns: [String], short: [Int] = [], rows count: Int = 0) {
        guard count > HTMLWriter.partLimit else { return open(caption, columns, short) }
        parts = Parts(caption: caption, columns: columns, short: short, count: count)
        markup("<div class=\"parts\" data-name=\"")
        text(caption)
        markup("\">\n")
    }

    /// Adds a row; the first cell is its heading.
    package mutating func row(_ cells: [String]) {
        if let written = parts?.written {
            if written.isMultiple(of: HTMLWriter.partLimit) { beginPart(at: written, cells) }
            parts?.written = written + 1
        }
        markup("<tr>")
        for (index, cell) in cells.enumerated() {
            if index == 0 { element("th", "scope=\"row\"", cell) } else { element("td", cell) }
        }
        markup("</tr>\n")
    }

    package mutating func endTable() {
        guard let parts else { return close() }
        if parts.written > 0 { endPart() }
        markup("</div>\n")
        self.parts = nil
    }

    /// Begins a part with its first row's number, and says by that row's first two cells where it begins.
    private mutating func beginPart(at start: Int, _ cells: [String]) {
        guard let parts else { return }
        if start > 0 { endPart() }
        let rows = "\(start + 1) to \(min(start + HTMLWriter.partLimit, parts.count)) of \(parts.count)"
        markup("<details><summary>")
        text("\(rows), from \(cells.prefix(2).joined(separator: ", "))")
        markup("</summary>\n")
        open("\(parts.caption), \(rows)", parts.columns, parts.short)
    }

    private mutating func endPart() {
        close()
        markup("</details>\n")
    }

    private mutating func open(_ caption: String, _ columns: [String], _ short: [Int]) {
        markup("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"")
        text(caption)
        markup("\"><table")
        if !short.isEmpty { trusted(" class=\"\(short.map { "s\($0)" }.joined(separator: " "))\"") }
        markup("><caption>")
        text(caption)
        markup("</caption><thead><tr>")
        for column in columns { element("th", "scope=\"col\"", column) }
        markup("</tr></thead><tbody>\n")
    }

    private mutating func close() {
        markup("</tbody></table></div>\n")
    }

    /// Adds an element with text and no attributes.
    package mutating func element(_ tag: String, _ content: String) {
        element(tag, "", content)
    }
}
