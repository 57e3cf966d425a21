package import PropertyList

/// A preference file, or a folder of them, that could not be read.
package struct HomeProblem: Hashable, Sendable {
    /// The file as people are shown it; empty where the message names it.
    package let file: String
    /// The place of the damage; `nil` where the file could not be read at all.
    package let position: Position?
    /// What is wrong, in words, without a full stop.
    package let message: String
    /// Whether this process lacked the right to look.
    package let isPermission: Bool

    /// Makes a problem.
    package init(file: String, position: Position?, message: String, isPermission: Bool) {
        self.file = file
        self.position = position
        self.message = message
        self.isPermission = isPermission
    }
}
