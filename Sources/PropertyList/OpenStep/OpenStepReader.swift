/// Reads property lists in the OpenStep encoding.
package struct OpenStepReader {
    /// Reads a whole text.
    package static func read(_ source: SourceText, limits: Limits = .standard) throws(PropertyListError) -> Document {
        throw PropertyListError(.unsupported, "not written yet", at: .start)
    }
}
