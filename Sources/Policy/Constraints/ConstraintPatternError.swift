/// Why a text is no regular expression that is understood here.
package struct ConstraintPatternError: Error, Hashable, Sendable {
    /// What is wrong and what to do, as a clause.
    package let message: String
    /// Where, in Unicode scalars of the expression, counted from 0.
    package let offset: Int

    /// Makes an error.
    package init(_ message: String, at offset: Int) {
        self.message = message
        self.offset = offset
    }
}
