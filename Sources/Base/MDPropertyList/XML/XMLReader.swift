/// Reads property lists in the XML encoding.
///
/// The reader is stricter than CoreFoundation if leniency would hide an error: `<plist>` is required, each `<key>` has
/// a value, base64 and dates are exact, only comments may follow `</plist>`, elements other than `<plist>` have no
/// attributes. Anything that XML forbids is refused (control characters, `--` in comments, `]]>` in text). So is
/// everything that could make a small file large or access other files: an internal DTD subset, entities other than the
/// five of XML. Processing instructions are skipped if comments are allowed at their position. Comments are not allowed
/// within a text.
///
/// Unlike XML, but as in CoreFoundation, a carriage return in a text is preserved: files that CoreFoundation wrote
/// would otherwise lose it.
package struct XMLReader {
    /// Reads a whole text.
    ///
    /// - Parameters:
    ///   - source: the text.
    ///   - limits: the limits beyond which it is refused.
    ///   - allowsControlCharacters: whether keys and strings may hold the characters that XML forbids, except NUL.
    ///     Foundation on Linux writes them unescaped and reads them again. NUL is refused, because other readers end
    ///     the text there, so that two programs would see different values.
    /// - Returns: the document; a duplicate key in a dictionary is a warning, and its last value counts.
    /// - Throws: the first error, with its position.
    /// - Complexity: O(n) time; the stack does not grow with the depth.
    package static func read(
        _ source: SourceText, limits: Limits = .standard, allowsControlCharacters: Bool = false
    ) throws(PropertyListError) -> Document {
        var parser = try XMLParser(source, limits: limits)
        parser.allowsControlCharacters = allowsControlCharacters
        return try parser.document()
    }
}

/// A property list that was read as leniently as by Apple's reader, with its errors.
package struct TolerantReading: Sendable {
    /// The document; its warnings describe what was tolerated.
    package let document: Document
    /// The errors of invalid scalars, by the offsets of their nodes; each node has the scalar's text as a string.
    ///
    /// The caller reports the error if it uses the value of such a node; otherwise it is harmless.
    package let unreadable: [Int: PropertyListError]
    /// The errors of undefined references, in their order; the caller has to report them.
    ///
    /// Apple's reader refuses a file with such an error. The texts have the `&` verbatim.
    package let referenceErrors: [PropertyListError]
    /// Whether the root element, and perhaps the dictionary in it, was missing.
    package let isFragment: Bool

    package init(
        document: Document, unreadable: [Int: PropertyListError] = [:], referenceErrors: [PropertyListError] = [],
        isFragment: Bool = false
    ) {
        self.document = document
        self.unreadable = unreadable
        self.referenceErrors = referenceErrors
        self.isFragment = isFragment
    }
}

extension XMLReader {
    /// Reads a whole text as leniently as Apple's reader, for files that were written carelessly.
    ///
    /// Tolerated with a warning are: blanks, zero bytes and comments before `<?xml`, an invalid declaration or DOCTYPE,
    /// attributes, a missing `<plist>` or a missing `<plist>` and `<dict>`, and any content after `</plist>`. Tolerated
    /// without a warning are `--` in comments and zero bytes around the root value. Entities stay undefined, whatever a
    /// DOCTYPE declares; reading continues after them and after a lone `&`, so that all are reported. Line ends within
    /// texts become line feeds, as in XML.
    ///
    /// - Throws: the first error that makes the content ambiguous.
    /// - Complexity: O(n) time; the stack does not grow with the depth.
    package static func readTolerantly(
        _ source: SourceText, limits: Limits = .standard
    ) throws(PropertyListError) -> TolerantReading {
        var parser = try XMLParser(source, limits: limits)
        parser.isTolerant = true
        let document: Document
        do throws(PropertyListError) {
            document = try parser.document()
        } catch {
            throw parser.referenceErrors.first ?? error
        }
        return TolerantReading(
            document: document, unreadable: parser.unreadable, referenceErrors: parser.referenceErrors,
            isFragment: parser.frame != .propertyList)
    }
}
