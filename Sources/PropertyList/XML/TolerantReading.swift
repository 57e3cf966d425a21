/// A property list that was read as Apple's own reader does, with what was wrong with it.
package struct TolerantReading: Sendable {
    /// The document; its warnings tell what was forgiven.
    package let document: Document
    /// Why the text of a scalar could not be read, by the offset of its node, which holds that text as a string.
    ///
    /// Whoever uses the value of such a node has to report it; where nobody does, it is harmless.
    package let unreadable: [Int: PropertyListError]
    /// What is wrong with references, in their order; whoever uses the document has to report it.
    ///
    /// Apple's reader refuses a file with one of them. The texts hold the `&` as it stands.
    package let mistakes: [PropertyListError]
    /// Whether the root element, and perhaps the dictionary in it, was missing.
    package let isFragment: Bool

    /// Makes a reading.
    package init(
        document: Document, unreadable: [Int: PropertyListError] = [:], mistakes: [PropertyListError] = [],
        isFragment: Bool = false
    ) {
        self.document = document
        self.unreadable = unreadable
        self.mistakes = mistakes
        self.isFragment = isFragment
    }
}

extension XMLReader {
    /// Reads a whole text that others may have written carelessly, as Apple's reader does.
    ///
    /// Forgiven with a warning are: blanks, zero bytes and comments before `<?xml`, a declaration or DOCTYPE that is
    /// none, attributes, a missing `<plist>` or a missing `<plist>` and `<dict>`, whatever follows `</plist>`. Forgiven
    /// without one are `--` in comments and zero bytes around the root value. Entities stay unknown, whatever a DOCTYPE says; the
    /// reading goes on behind those and behind an `&` that begins none, and has them all. Line ends within texts become
    /// line feeds, as XML has it.
    ///
    /// - Throws: the first mistake that leaves open what is meant.
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
            throw parser.mistakes.first ?? error
        }
        return TolerantReading(
            document: document, unreadable: parser.unreadable, mistakes: parser.mistakes,
            isFragment: parser.frame != .propertyList)
    }
}
