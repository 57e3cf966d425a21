/// A value as it stands in a file, with the places of everything in it.
///
/// Readers return nodes; ``value`` drops the places.
package struct Node: Sendable {
    /// What the node holds.
    package enum Content: Sendable {
        /// A value without parts; never an array or a dictionary.
        case scalar(Value)
        /// The elements in file order.
        case array([Node])
        /// The entries in file order. A key that stands twice has two entries, of which the last counts.
        case dictionary([Entry])
    }

    /// A key and its value in a dictionary.
    package struct Entry: Sendable {
        /// The key.
        package let key: Key
        /// Where the key begins, as an offset into the document's text or bytes.
        package let keyOffset: Int
        /// The value.
        package let value: Node

        /// Makes an entry.
        package init(key: Key, keyOffset: Int, value: Node) {
            self.key = key
            self.keyOffset = keyOffset
            self.value = value
        }
    }

    /// What the node holds.
    package let content: Content
    /// Where the node begins, as an offset into the document's text or bytes.
    package let offset: Int

    /// Makes a node.
    package init(_ content: Content, offset: Int) {
        self.content = content
        self.offset = offset
    }

    /// The value without places; of a key that stands twice, the last value.
    ///
    /// Complexity: O(n).
    package var value: Value {
        switch content {
        case .scalar(let value): return value
        case .array(let nodes): return .array(nodes.map(\.value))
        case .dictionary(let entries): return .dictionary(Node.dictionary(entries))
        }
    }

    /// The entries of a dictionary, or `nil` for any other content.
    package var entries: [Entry]? {
        if case .dictionary(let entries) = content { entries } else { nil }
    }

    /// The elements of an array, or `nil` for any other content.
    package var elements: [Node]? {
        if case .array(let nodes) = content { nodes } else { nil }
    }

    /// The name of the content's type, as ``Value/typeName``.
    package var typeName: String {
        switch content {
        case .scalar(let value): value.typeName
        case .array: "array"
        case .dictionary: "dictionary"
        }
    }

    /// Makes a dictionary of entries; of a key that stands twice, the last value counts.
    package static func dictionary(_ entries: [Entry]) -> [Key: Value] {
        var result = [Key: Value](minimumCapacity: entries.count)
        for entry in entries { result[entry.key] = entry.value.value }
        return result
    }
}
