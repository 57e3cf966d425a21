/// Reads property lists in the XML encoding.
package struct XMLReader {
    /// Reads a whole text.
    package static func read(_ source: SourceText, limits: Limits = .standard) throws(PropertyListError) -> Document {
        throw PropertyListError(.unsupported, "not written yet", at: .start)
    }
}
