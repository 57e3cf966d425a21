package import PropertyList

/// One item of a target's clause, with its place in the file.
package struct TargetName: Hashable, Sendable {
    /// The name of a user, group or tag, compared as bytes.
    package let name: Key
    /// Where it stands.
    package let position: Position
    /// What is known of the name, where it was found out before; `nil` where a table of names has to be asked.
    let state: NameTable.State?

    /// Makes an item.
    package init(_ name: Key, position: Position = .start) {
        self.init(name, position: position, state: nil)
    }

    /// Makes an item of a compiled table.
    init(_ name: Key, position: Position, state: NameTable.State?) {
        self.name = name
        self.position = position
        self.state = state
    }
}
