import Platform

extension PolicyMachine {
    /// What is said while nobody can tell what is forced, as a sentence.
    ///
    /// - Parameter reason: why, as a clause.
    /// - Returns: the sentence.
    package static func sentence(ofUncertainty reason: String) -> String {
        "It cannot be told what is forced, because policy could not be read: \(Printable.escape(reason))."
    }
}
