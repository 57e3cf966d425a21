package import PropertyList

/// A change of a file that mends a finding with one answer.
package struct LintFix: Hashable, Sendable {
    /// Where, in the file as it was when the change was made.
    package let position: Position
    /// The finding that it mends.
    package let code: LintCode
    /// What was done, as a clause: `replaced "Enforce" by "Enforced"`.
    package let words: String
    /// The bytes of the text that are replaced.
    let range: Range<Int>
    /// What stands there afterwards.
    let replacement: [UInt8]
}
