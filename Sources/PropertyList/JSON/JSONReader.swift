/// Reads property lists in the JSON encoding.
package struct JSONReader {
    /// Reads a whole text.
    package static func read(_ source: SourceText, limits: Limits = .standard) throws(PropertyListError) -> Document {
        throw PropertyListError(.unsupported, "not written yet", at: .start)
    }
}
