/// A regular expression that a string must match as a whole, without back-references, matched in linear time.
package struct ConstraintPattern: Hashable, Sendable {
    /// The expression as it stands in the file.
    package let text: String
}
