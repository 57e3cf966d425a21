package import MDPropertyList

/// The origin of an entry: the policy, its file, and the place of the entry's key.
package struct Origin: Sendable {
    /// The part that all entries of one file share, stored once.
    package final class Source: Sendable {
        /// The identifier of the policy file.
        package let policy: String
        /// The path of the file beneath the root.
        package let file: String
        /// The key of the common domain that was written, if this is what it became for a program; `nil` for what stands
        /// in the file.
        package let setting: Key?

        /// Whether an entry of the common domain became this for a program, which may not be installed.
        package var isExpanded: Bool { setting != nil }

        package init(policy: String, file: String, setting: Key? = nil) {
            self.policy = policy
            self.file = file
            self.setting = setting
        }
    }

    package let source: Source
    /// The place of the entry's key.
    package let position: Position

    /// The identifier of the policy file.
    package var policy: String { source.policy }
    /// The path of the file beneath the root, also if its recorded copy is in force.
    package var file: String { source.file }

    package init(policy: String, file: String, position: Position) {
        self.init(Source(policy: policy, file: file), position: position)
    }

    /// Makes an origin that shares its source with others.
    package init(_ source: Source, position: Position) {
        self.source = source
        self.position = position
    }
}

extension Origin: Hashable {
    package static func == (left: Origin, right: Origin) -> Bool {
        left.position == right.position
            && (left.source === right.source || (left.policy == right.policy && left.file == right.file))
    }

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
