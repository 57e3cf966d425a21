import MDPlatform

/// A text for people, 80 columns wide, written line after line.
package protocol TextPage {
    /// The lines so far.
    var lines: [String] { get set }
}

extension TextPage {
    /// The number of columns of a line, unless a word or value is longer.
    package static var width: Int { 80 }
    /// The most names in a list of the first page.
    package static var listed: Int { 10 }

    /// The whole text, which ends with a line feed.
    package var text: String { lines.joined(separator: "\n") + "\n" }

    /// Adds a line.
    package mutating func line(_ text: String = "") {
        lines.append(text)
    }

    /// Adds the title of the whole text.
    package mutating func title(_ text: String) {
        line(text)
        line(String(repeating: "=", count: min(text.count, Self.width)))
        line()
    }

    /// Adds a heading with an empty line before it.
    package mutating func heading(_ text: String) {
        line()
        line(text)
        line(String(repeating: "-", count: min(text.count, Self.width)))
    }

    /// Adds a text with wrapped words; `first` begins the first line, and the others are indented as far.
    package mutating func paragraph(_ text: String, first: String, indent: Int? = nil) {
        let rest = String(repeating: " ", count: indent ?? first.count)
        var current = first
        var isEmpty = true
        // A number stays with its percent sign.
        var words: [String] = []
        for word in text.split(separator: " ") {
            if word.utf8.first == UInt8(ascii: "%"), let last = words.popLast() {
                words.append("\(last) \(word)")
            } else {
                words.append(String(word))
            }
        }
        for word in words {
            if !isEmpty, current.count + 1 + word.count > Self.width {
                line(current)
                current = rest
                isEmpty = true
            }
            current += isEmpty ? word : " \(word)"
            isEmpty = false
        }
        line(current)
    }

    /// Adds a line of the header: a name and what it is.
    package mutating func fact(_ name: String, _ text: String) {
        paragraph(text, first: Self.pad(name, 10))
    }

    /// Adds rows of a name, a number and a remark.
    package mutating func table(_ rows: [(String, Int, String)]) {
        let width = rows.map { String($0.1).count }.max() ?? 1
        for (name, number, remark) in rows {
            let text = String(number)
            let blanks = String(repeating: " ", count: width - text.count)
            paragraph(remark, first: "\(Self.pad(name, 20))\(blanks)\(text)\(remark.isEmpty ? "" : "  ")")
        }
    }

    /// Adds columns, each as wide as its widest cell; numbers stand at the right, the last column is wrapped.
    package mutating func columns(_ rows: [[String]]) {
        guard let count = rows.map(\.count).max() else { return }
        let widths = (0..<count).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        for row in rows {
            var first = " "
            for (column, cell) in row.enumerated().dropLast() {
                let isNumber = cell.utf8.first.map { (0x30...0x39).contains($0) } ?? false
                let blanks = String(repeating: " ", count: widths[column] - cell.count)
                first += (column == 0 ? " " : "  ") + (isNumber ? blanks + cell : cell + blanks)
            }
            paragraph(row.last ?? "", first: first + (row.count > 2 ? "  " : " "))
        }
    }

    /// Pads a text with blanks.
    package static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
