/// Reads property lists in the XML encoding.
///
/// The reader is stricter than CoreFoundation where leniency hides a mistake: `<plist>` must be there, each `<key>` has
/// a value, base64 and dates are exact, nothing follows `</plist>` but comments, elements other than `<plist>` have no
/// attributes. What XML forbids is refused (control characters, `--` in comments, `]]>` in text), and so is everything
/// that could make a small file large or reach outside of it: an internal DTD subset, entities other than the five of
/// XML. Processing instructions are skipped where comments may stand. Comments cannot stand within a text.
///
/// As in CoreFoundation and against XML, a carriage return in a text is kept: files that CoreFoundation wrote would
/// otherwise lose it.
package struct XMLReader {
    /// Reads a whole text.
    ///
    /// - Parameters:
    ///   - source: the text.
    ///   - limits: the bounds beyond which it is refused.
    ///   - allowsControlCharacters: whether keys and strings may hold the characters that XML forbids, but for NUL.
    ///     Foundation on Linux writes them as they are, so that its files have them, and reads them again. A NUL is
    ///     refused, because other readers end the text there: two programs would see two values.
    /// - Returns: the document; a key that stands twice in a dictionary is a warning, and its last value counts.
    /// - Throws: the first mistake, with its place.
    /// - Complexity: O(n) time; the stack does not grow with the depth.
    package static func read(
        _ source: SourceText, limits: Limits = .standard, allowsControlCharacters: Bool = false
    ) throws(PropertyListError) -> Document {
        var parser = try XMLParser(source, limits: limits)
        parser.allowsControlCharacters = allowsControlCharacters
        return try parser.document()
    }
}
