package import PropertyList

/// Where an entry stands: the policy, its file, and the place of the entry's key in it.
package struct Origin: Sendable {
    /// What all entries of one file share, held once for all of them.
    final class Source: Sendable {
        /// The identifier of the policy file.
        let policy: String
        /// The path of the file beneath the root.
        let file: String

        /// Makes the source of a file.
        init(policy: String, file: String) {
            self.policy = policy
            self.file = file
        }
    }

    /// The policy and its file.
    let source: Source
    /// The place of the entry's key.
    package let position: Position

    /// The identifier of the policy file.
    package var policy: String { source.policy }
    /// The path of the file beneath the root, also where a good copy of it stands in.
    package var file: String { source.file }

    /// Makes an origin.
    package init(policy: String, file: String, position: Position) {
        self.init(Source(policy: policy, file: file), position: position)
    }

    /// Makes an origin of a file that has others.
    init(_ source: Source, position: Position) {
        self.source = source
        self.position = position
    }
}

extension Origin: Hashable {
    /// Whether both are the same place of the same policy in the same file.
    package static func == (left: Origin, right: Origin) -> Bool {
        left.position == right.position
            && (left.source === right.source || (left.policy == right.policy && left.file == right.file))
    }

    /// Feeds policy, file and place into the hasher.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(policy)
        hasher.combine(file)
        hasher.combine(position)
    }
}

extension Origin: CustomStringConvertible {
    /// `file:line:column`, or `file: byte N` for a binary file.
    package var description: String {
        position.isBinary ? "\(file): \(position)" : "\(file):\(position)"
    }
}
