import MDPlatform

/// Pictures, each with its numbers as text beside it.
extension HTMLWriter {
    /// One part of a whole; the colour is the name of one in the style sheet.
    package struct Share {
        let name: String
        let count: Int
        let color: String

        package init(name: String, count: Int, color: String) {
            (self.name, self.count, self.color) = (name, count, color)
        }
    }

    /// Adds the parts of a whole as a ring, and a list of them.
    package mutating func donut(_ shares: [Share]) {
        let shares = shares.filter { $0.count > 0 }
        guard !shares.isEmpty else { return }
        markup("<div class=\"charts\">")
        ring(shares)
        markup("<ul>")
        for share in shares {
            trusted("<li><span class=\"dot\" style=\"background:var(--\(share.color))\"></span>")
            text("\(share.count) \(share.name)")
            markup("</li>")
        }
        markup("</ul></div>\n")
    }

    private mutating func ring(_ shares: [Share]) {
        let total = shares.reduce(0) { $0 + $1.count }
        markup("<svg width=\"160\" height=\"160\" viewBox=\"0 0 42 42\" role=\"img\" aria-label=\"")
        text(shares.map { "\($0.count) \($0.name)" }.joined(separator: "; "))
        markup("\">")
        var start = 0.0
        for share in shares {
            let length = Double(share.count) * 100 / Double(total)
            // The radius makes the circle 100 long.
            trusted(
                "<circle cx=\"21\" cy=\"21\" r=\"15.9155\" fill=\"none\" stroke=\"var(--\(share.color))\" "
                    + "stroke-width=\"6\" stroke-dasharray=\"\(Self.decimal(length)) \(Self.decimal(100 - length))\" "
                    + "stroke-dashoffset=\"\(Self.decimal(25 - start))\"></circle>")
            start += length
        }
        markup("</svg>\n")
    }

    /// The most bars of a picture; of more days the last ones are shown.
    static let barLimit = 31

    /// Adds a picture of horizontal bars with their names and numbers.
    mutating func bars(_ title: String, _ items: [(name: String, count: Int)]) {
        let shown = items.suffix(HTMLWriter.barLimit)
        let most = Double(shown.map(\.count).max() ?? 1)
        markup("<figure style=\"margin:0\"><figcaption>")
        text(items.count > shown.count ? "\(title), the last \(shown.count) of \(items.count)" : title)
        trusted("</figcaption><svg width=\"360\" height=\"\(shown.count * 34 + 4)\" role=\"img\" aria-label=\"")
        text(shown.map { "\($0.name): \($0.count)" }.joined(separator: "; "))
        trusted("\" viewBox=\"0 0 360 \(shown.count * 34 + 4)\">")
        for (index, item) in shown.enumerated() {
            let width = max(2, Double(max(item.count, 0)) * 300 / max(most, 1))
            trusted("<text x=\"0\" y=\"\(index * 34 + 12)\">")
            text(item.name.count > 52 ? "\(item.name.prefix(51))…" : item.name)
            trusted(
                "</text><rect x=\"0\" y=\"\(index * 34 + 17)\" width=\"\(Self.decimal(width))\" height=\"12\" "
                    + "fill=\"var(--bar)\"></rect><text x=\"\(Self.decimal(width + 6))\" y=\"\(index * 34 + 27)\">"
                    + "\(item.count)</text>")
        }
        markup("</svg></figure>\n")
    }

    /// The most rows of a map of hours.
    private static let hourRows = 40

    /// Adds a map of rows and the 24 hours of a day; the darker, the more.
    ///
    /// - Parameters:
    ///   - title: what is counted.
    ///   - rows: the name and the 24 numbers of each row, the most important first.
    mutating func hours(_ title: String, _ rows: [(name: String, counts: [Int])]) {
        let shown = rows.prefix(HTMLWriter.hourRows)
        let most = max(shown.flatMap(\.counts).max() ?? 0, 1)
        let (left, cell) = (96, 14)
        let (width, height) = (left + 24 * cell, shown.count * 18 + 20)
        markup("<figure style=\"margin:0\"><figcaption>")
        text(HTMLWriter.title(title, first: shown.count, of: rows.count))
        trusted("</figcaption><svg width=\"\(width)\" height=\"\(height)\" role=\"img\" aria-label=\"")
        text(shown.map { "\($0.name): \(HTMLWriter.words(ofHours: $0.counts))" }.joined(separator: "; "))
        trusted("\" viewBox=\"0 0 \(width) \(height)\">")
        for hour in stride(from: 0, to: 24, by: 3) {
            trusted("<text x=\"\(left + hour * cell)\" y=\"12\">\(hour)</text>")
        }
        for (index, row) in shown.enumerated() {
            trusted("<text x=\"0\" y=\"\(index * 18 + 31)\">")
            text(row.name.count > 14 ? "\(row.name.prefix(13))…" : row.name)
            markup("</text>")
            for (hour, count) in row.counts.prefix(24).enumerated() {
                let share = count == 0 ? 0.06 : 0.2 + 0.8 * Double(max(count, 0)) / Double(most)
                trusted(
                    "<rect x=\"\(left + hour * cell)\" y=\"\(index * 18 + 18)\" width=\"\(cell - 1)\" height=\"16\" "
                        + "fill=\"var(--bar)\" fill-opacity=\"\(Self.decimal(share))\"></rect>")
            }
        }
        markup("</svg></figure>\n")
    }

    /// The hours with attempts, in words.
    private static func words(ofHours counts: [Int]) -> String {
        let parts = counts.enumerated().filter { $0.element > 0 }.map { "\($0.element) at \($0.offset):00" }
        return parts.isEmpty ? "none" : parts.joined(separator: ", ")
    }

    /// A number with two digits after the point.
    private static func decimal(_ number: Double) -> String {
        let hundredths = Int((number * 100).rounded())
        let digits = abs(hundredths) % 100
        return "\(hundredths < 0 ? "-" : "")\(abs(hundredths) / 100).\(digits < 10 ? "0" : "")\(digits)"
    }
}
