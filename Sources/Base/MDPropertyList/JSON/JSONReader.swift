/// Reads property lists in the JSON encoding.
package enum JSONReader {
    /// Reads a whole text, with comments, trailing commas, and the forms of values that JSON lacks.
    ///
    /// `{"$date":"2026-11-20T08:00:00Z"}`, `{"$data":"base64"}`, `{"$real":"nan"}` (also `inf` and `-inf`) and
    /// `{"$int":"9007199254740993"}` are values, and `{"$dict":{…}}` is the dictionary inside, verbatim. A number with
    /// a `.` or an `e` is a real, any other an integer.
    ///
    /// - Parameters:
    ///   - source: the text.
    ///   - limits: the limits beyond which it is refused.
    /// - Returns: the document; a duplicate key is a warning, and its last value counts.
    /// - Throws: the first error, with its position. `null` is an error, and so is a dictionary whose only key begins
    ///   with `$` and does not name a form.
    package static func read(
        _ source: SourceText, limits: Limits = .standard
    ) throws(PropertyListError) -> Document {
        var parser = JSONParser(source, dialect: .propertyList, limits: limits)
        let root = try parser.parse()
        let decoded = parser.holdsForms ? try JSONForms(source: source).decode(root) : root
        return Document(root: decoded, format: .json, source: source, warnings: parser.warnings)
    }

    /// Reads a whole text of another program, with comments and trailing commas; `$` has no meaning.
    ///
    /// - Parameters:
    ///   - source: the text.
    ///   - limits: the limits beyond which it is refused.
    /// - Returns: the document. Warnings are duplicate keys, whose last value counts, and each `null`, which is left
    ///   out.
    /// - Throws: the first error, with its position.
    package static func readForeign(
        _ source: SourceText, limits: Limits = .standard
    ) throws(PropertyListError) -> Document {
        try read(source, as: .foreign, limits)
    }

    /// Reads a file that a browser keeps for itself, in every form that the browser accepts.
    ///
    /// Beside what ``readForeign(_:limits:)`` accepts, strings may have control characters and the escapes `\x` and `\v`,
    /// and an integer that is out of range is a real. Chromium 156 was tried: it refuses trailing commas, `\v`, and control
    /// characters but line breaks, which are read here all the same.
    package static func readBrowser(
        _ source: SourceText, limits: Limits = .standard
    ) throws(PropertyListError) -> Document {
        try read(source, as: .browser, limits)
    }

    /// Reads a whole text in the syntax of RFC 8259: no comments, no trailing commas, and `$` has no meaning.
    ///
    /// This is for audit records and the package's own files.
    ///
    /// - Parameters:
    ///   - source: the text.
    ///   - limits: the limits beyond which it is refused.
    /// - Returns: the document; a duplicate key is a warning, and its last value counts.
    /// - Throws: the first error, with its position. `null` is an error, because a property list cannot hold it.
    package static func readPlain(
        _ source: SourceText, limits: Limits = .standard
    ) throws(PropertyListError) -> Document {
        try read(source, as: .plain, limits)
    }

    /// Reads a whole text without decoding forms.
    private static func read(
        _ source: SourceText, as dialect: JSONParser.Dialect, _ limits: Limits
    ) throws(PropertyListError) -> Document {
        var parser = JSONParser(source, dialect: dialect, limits: limits)
        let root = try parser.parse()
        return Document(root: root, format: .json, source: source, warnings: parser.warnings)
    }
}
