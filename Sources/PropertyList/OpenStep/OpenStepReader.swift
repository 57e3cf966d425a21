/// Reads property lists in the OpenStep encoding, old-style text: `{ key = value; list = (a, b); }`.
///
/// Read are dictionaries, arrays with an optional comma at the end, quoted and unquoted strings, data as `<0fbd77 1c>`
/// or, as GNUstep has it, `<[base64]>`, GNUstep's typed values `<*I5>`, `<*R1.5>`, `<*BY>` and
/// `<*D2026-11-20 08:00:00 +0000>`, and comments of both kinds. Octal escapes count in the NextStep encoding, as in
/// CoreFoundation. Where that is more lenient, a mistake is an error here: an unknown escape, fewer than four digits
/// after `\U`, half of a surrogate pair. A semicolon that is missing before `}` is a warning.
package struct OpenStepReader {
    /// Reads a whole text.
    ///
    /// - Parameters:
    ///   - source: the text.
    ///   - limits: the bounds beyond which it is refused.
    ///   - allowsStrings: whether the entries of the root dictionary may stand without braces, as in a strings file; an
    ///     entry without a value, `key;`, then has its key as its value.
    /// - Returns: the document; a single word is a string.
    /// - Throws: the first mistake, with its place.
    /// - Complexity: O(n) time; the stack does not grow with the depth.
    package static func read(
        _ source: SourceText, limits: Limits = .standard, allowsStrings: Bool = false
    ) throws(PropertyListError) -> Document {
        var parser = try OpenStepParser(source, limits: limits)
        return try parser.document(allowsStrings: allowsStrings)
    }
}
