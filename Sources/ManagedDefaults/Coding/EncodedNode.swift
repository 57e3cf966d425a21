import PropertyList

/// A value while it is being encoded: containers are handed out before their content is known.
final class EncodedNode {
    /// What was encoded so far.
    enum Content {
        /// Nothing yet.
        case nothing
        /// `nil`: there is no value.
        case null
        /// A value without parts, or one that is complete.
        case value(PropertyList.Value)
        /// Elements.
        case array([EncodedNode])
        /// Entries.
        case dictionary([PropertyList.Key: EncodedNode])
    }

    /// What was encoded so far.
    var content = Content.nothing

    /// The complete value; `nil` where `nil` was encoded.
    ///
    /// A type that encodes nothing is an empty dictionary. Entries that are `nil` are left out: in a property list, no
    /// value is no key. Elements never are `nil`, see ``NodeEncoder``.
    ///
    /// Complexity: O(parts). The recursion is no deeper than ``NodeEncoder/depthLimit``.
    var value: PropertyList.Value? {
        switch content {
        case .nothing: .dictionary([:])
        case .null: nil
        case .value(let value): value
        case .array(let nodes): .array(nodes.compactMap(\.value))
        case .dictionary(let nodes): .dictionary(nodes.compactMapValues(\.value))
        }
    }

    /// The node of an entry, made where there is none.
    ///
    /// - Returns: `nil` where this is no dictionary.
    func entry(_ key: PropertyList.Key) -> EncodedNode? {
        guard case .dictionary(var nodes) = content else { return nil }
        if let node = nodes[key] { return node }
        let node = EncodedNode()
        content = .nothing
        nodes[key] = node
        content = .dictionary(nodes)
        return node
    }

    /// A new last element.
    ///
    /// - Returns: `nil` where this is no array.
    func element() -> EncodedNode? {
        guard case .array(var nodes) = content else { return nil }
        let node = EncodedNode()
        content = .nothing
        nodes.append(node)
        content = .array(nodes)
        return node
    }

    /// The number of elements; 0 where this is no array.
    var count: Int {
        if case .array(let nodes) = content { nodes.count } else { 0 }
    }
}
