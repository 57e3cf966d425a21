package import MDPropertyList

/// Why a file of a fleet is not taken, with its place.
package struct FleetFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, without a full stop.
    package let message: String
    /// The place in the file; `nil` if the fault is not in a line.
    package let position: Position?

    package init(_ message: String, at position: Position? = nil) {
        (self.message, self.position) = (message, position)
    }

    package var description: String { position.map { "\($0): \(message)" } ?? message }
}
