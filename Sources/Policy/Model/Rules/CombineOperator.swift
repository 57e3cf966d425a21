/// How the forced entries of one key in several files become one value; the raw value is the word of the policy file.
package enum CombineOperator: String, Sendable, Hashable, CaseIterable {
    /// The one that wins.
    case replace
    /// Arrays: the elements of all, in order, each once.
    case union
    /// Dictionaries: the entries of all, however deep; of one key in several the winner's.
    case merge
    /// Numbers: the least.
    case min
    /// Numbers: the greatest.
    case max
    /// Booleans: whether all are true.
    case and
    /// Booleans: whether one is true.
    case or
}
