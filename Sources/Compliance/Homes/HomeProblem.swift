package import PropertyList

/// A preference file, or a folder of them, that could not be read.
package struct HomeProblem: Hashable, Sendable {
    /// What keeps it from being read.
    package enum Kind: Hashable, Sendable {
        /// The file: it is damaged, or none that is used.
        case file
        /// This process lacks the right to look.
        case permission
        /// The child that looked died, or did not answer in time.
        case noAnswer
    }

    /// The file as people are shown it; empty where the message names it.
    package let file: String
    /// The place of the damage; `nil` where the file could not be read at all.
    package let position: Position?
    /// What is wrong, in words, without a full stop.
    package let message: String
    /// What keeps it from being read.
    package let kind: Kind

    /// Makes a problem.
    package init(file: String, position: Position?, message: String, kind: Kind) {
        self.file = file
        self.position = position
        self.message = message
        self.kind = kind
    }
}
