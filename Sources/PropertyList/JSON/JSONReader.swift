/// Reads property lists in the JSON encoding.
package enum JSONReader {
    /// Reads a whole text, with comments, trailing commas, and the forms of values that JSON lacks.
    ///
    /// `{"$date":"2026-11-20T08:00:00Z"}`, `{"$data":"base64"}`, `{"$real":"nan"}` (also `inf` and `-inf`) and
    /// `{"$int":"9007199254740993"}` are values, and `{"$dict":{…}}` is the dictionary inside as it stands. A number with
    /// a `.` or an `e` is a real, any other an integer.
    ///
    /// - Parameters:
    ///   - source: the text.
    ///   - limits: the bounds beyond which it is refused.
    /// - Returns: the document; a key that stands twice is a warning, and its last value counts.
    /// - Throws: the first mistake, with its place. `null` is one, and so is a dictionary whose only key begins with `$`
    ///   and is none of the forms.
    package static func read(
        _ source: SourceText, limits: Limits = .standard
    ) throws(PropertyListError) -> Document {
        var parser = JSONParser(source, dialect: .propertyList, limits: limits)
        let root = try parser.parse()
        let decoded = parser.holdsForms ? try JSONForms(source: source).decode(root) : root
        return Document(root: decoded, format: .json, source: source, warnings: parser.warnings)
    }

    /// Reads a whole text with comments and trailing commas, in which the forms of values that JSON lacks stay the
    /// dictionaries that they look like: JSON of any purpose.
    ///
    /// - Parameters:
    ///   - source: the text.
    ///   - limits: the bounds beyond which it is refused.
    /// - Returns: the document.
    /// - Throws: the first mistake, with its place.
    package static func readAsItStands(
        _ source: SourceText, limits: Limits = .standard
    ) throws(PropertyListError) -> Document {
        try read(source, as: .propertyList, limits)
    }

    /// Reads a whole text as RFC 8259 has it: no comments, no trailing commas, and `$` means nothing.
    ///
    /// For audit records and our own files.
    ///
    /// - Parameters:
    ///   - source: the text.
    ///   - limits: the bounds beyond which it is refused.
    /// - Returns: the document; a key that stands twice is a warning, and its last value counts.
    /// - Throws: the first mistake, with its place. `null` is one: a property list cannot hold it.
    package static func readPlain(
        _ source: SourceText, limits: Limits = .standard
    ) throws(PropertyListError) -> Document {
        try read(source, as: .plain, limits)
    }

    /// Reads a whole text in which no dictionary stands for a value.
    private static func read(
        _ source: SourceText, as dialect: JSONParser.Dialect, _ limits: Limits
    ) throws(PropertyListError) -> Document {
        var parser = JSONParser(source, dialect: dialect, limits: limits)
        let root = try parser.parse()
        return Document(root: root, format: .json, source: source, warnings: parser.warnings)
    }
}
