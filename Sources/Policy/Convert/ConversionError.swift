package import PropertyList

/// Why a file could not be converted at all.
package struct ConversionError: Error, Sendable, CustomStringConvertible {
    /// The path as people are shown it.
    package let path: String
    /// Where.
    package let position: Position
    /// What is wrong, without place and without a full stop.
    package let message: String
    /// Whether the command line could have said what is missing.
    package let isUsage: Bool

    /// Makes an error.
    init(_ message: String, path: String, position: Position = .start, isUsage: Bool = false) {
        self.message = message
        self.path = path
        self.position = position
        self.isUsage = isUsage
    }

    /// `file:line:column: message`; of what the command line could have said, `file: message`.
    package var description: String {
        if isUsage { return "\(path): \(message)" }
        return position.isBinary ? "\(path): \(position): \(message)" : "\(path):\(position): \(message)"
    }
}
