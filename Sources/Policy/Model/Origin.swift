package import PropertyList

/// Where an entry stands: the policy, its file, and the place of the entry's key in it.
package struct Origin: Hashable, Sendable {
    /// The identifier of the policy file.
    package let policy: String
    /// The path of the file beneath the root, also where a good copy of it stands in.
    package let file: String
    /// The place of the entry's key.
    package let position: Position

    /// Makes an origin.
    package init(policy: String, file: String, position: Position) {
        self.policy = policy
        self.file = file
        self.position = position
    }
}

extension Origin: CustomStringConvertible {
    /// `file:line:column`, or `file: byte N` for a binary file.
    package var description: String {
        position.isBinary ? "\(file): \(position)" : "\(file):\(position)"
    }
}
