package import PropertyList

/// One item of a target's clause, with its place in the file.
package struct TargetName: Hashable, Sendable {
    /// The name of a user, group or tag, compared as bytes.
    package let name: Key
    /// Where it stands.
    package let position: Position

    /// Makes an item.
    package init(_ name: Key, position: Position = .start) {
        self.name = name
        self.position = position
    }
}
