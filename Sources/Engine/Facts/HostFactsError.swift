package import PropertyList

/// What is wrong with a facts file, and where.
package struct HostFactsError: Error, Sendable, Hashable {
    /// The place in the file.
    package let position: Position
    /// What is wrong, without place and without a full stop.
    package let message: String

    /// Makes an error.
    init(_ message: String, at position: Position) {
        self.position = position
        self.message = message
    }
}
