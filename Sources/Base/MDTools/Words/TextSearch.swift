import MDPlatform

/// Looks for a text inside of a text, byte for byte.
///
/// The standard library's search does the same, and brings its engine of regular expressions into every program.
package enum TextSearch {
    /// The first place of a text in another one; `nil` if it is not there, or is empty.
    ///
    /// Complexity: O(n × m).
    package static func range(of wanted: String, in text: Substring) -> Range<Substring.Index>? {
        let (bytes, part) = (text.utf8, Array(wanted.utf8))
        var start = bytes.startIndex
        while !part.isEmpty, start != bytes.endIndex {
            if bytes[start...].starts(with: part) { return start..<bytes.index(start, offsetBy: part.count) }
            start = bytes.index(after: start)
        }
        return nil
    }

    /// Whether a text is in another one.
    package static func isPresent(_ wanted: String, in text: some StringProtocol) -> Bool {
        range(of: wanted, in: Substring(text)) != nil
    }

    /// The parts of a text between all places of another one, without empty parts.
    package static func parts(of text: String, separatedBy separator: String) -> [String] {
        var (parts, rest) = ([String](), Substring(text))
        while let found = range(of: separator, in: rest) {
            parts.append(String(rest[..<found.lowerBound]))
            rest = rest[found.upperBound...]
        }
        return (parts + [String(rest)]).filter { !$0.isEmpty }
    }

    /// A text without any occurrence of another one.
    package static func removing(_ wanted: String, from text: String) -> String {
        parts(of: text, separatedBy: wanted).joined()
    }
}
