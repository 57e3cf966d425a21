package import MDPropertyList

/// Turns Codable types into property list values.
package enum ValueEncoder {
    /// Encodes a value.
    ///
    /// - Parameter value: anything Codable, no deeper than 128 containers.
    /// - Returns: the value; `nil` for `nil`.
    /// - Throws: `EncodingError` with the place of a value that no property list can hold, and any error of the type itself.
    package static func encode(_ value: some Encodable) throws -> MDPropertyList.Value? {
        try node(of: value).value
    }

    /// Encodes the properties of a type.
    ///
    /// - Parameter value: a type that encodes entries.
    /// - Returns: its entries; `nil` for a property that is `nil`.
    /// - Throws: as ``encode(_:)``, and if the type encodes anything but entries.
    package static func encodeEntries(_ value: some Encodable) throws -> [MDPropertyList.Key: MDPropertyList.Value?] {
        let node = try node(of: value)
        switch node.content {
        case .dictionary(let nodes): return nodes.mapValues(\.value)
        case .nothing: return [:]
        case .null, .value, .array:
            throw EncodingError.invalidValue(
                value, EncodingError.Context(codingPath: [], debugDescription: "Only a type with properties has keys."))
        }
    }

    /// Encodes into a new node.
    private static func node(of value: some Encodable) throws -> EncodedNode {
        let node = EncodedNode()
        let errors = EncodingErrors()
        try NodeEncoder(node: node, codingPath: [], depth: 0, isElement: false, errors: errors).encodeHere(value)
        if let error = errors.first { throw error }
        return node
    }
}

/// Encodes into one node; the encoder that Codable types see.
///
/// Numbers, Booleans, texts, `Date`, `Data` and `URL` (as its absolute string) are values without parts. `nil` is no
/// entry in a dictionary, and is refused in an array, which cannot have gaps.
struct NodeEncoder: Encoder {
    /// The most arrays and dictionaries inside of each other, and calls of `encode(to:)` that wait for each other.
    ///
    /// A type that contains itself ends here, not at the end of the stack: each level takes some kilobytes of it.
    static let depthLimit = 128

    /// The node.
    let node: EncodedNode
    /// The place of the node.
    let codingPath: [any CodingKey]
    /// The number of nodes around this one.
    let depth: Int
    /// Whether the node is an element of an array.
    let isElement: Bool
    /// The errors of functions that cannot throw, such as making a container; thrown at the end.
    let errors: EncodingErrors

    /// Empty: stored types must not depend on their writer.
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Returns a container of entries.
    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(EntryEncoder<Key>(encoder: self, node: begin(.dictionary([:]))))
    }

    /// Returns a container of elements.
    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        ElementEncoder(encoder: self, node: begin(.array([])))
    }

    /// Returns a container of the value itself.
    func singleValueContainer() -> any SingleValueEncodingContainer {
        self
    }

    /// Makes the node a container, or adds an error if it has another content already.
    private func begin(_ content: EncodedNode.Content) -> EncodedNode {
        switch (node.content, content) {
        case (.nothing, _): node.content = content
        // A super class may encode into the container of its subclass.
        case (.dictionary, .dictionary), (.array, .array): break
        default:
            errors.add(error(node, "It was encoded in two ways."))
            let detached = EncodedNode()
            detached.content = content
            return detached
        }
        return node
    }

    /// The encoder of a part.
    func part(_ node: EncodedNode?, _ key: any CodingKey, isElement: Bool = false) -> NodeEncoder {
        NodeEncoder(
            node: node ?? EncodedNode(), codingPath: codingPath + [key], depth: depth + 1, isElement: isElement,
            errors: errors)
    }

    /// An error with the place of a value that cannot be encoded.
    func error(_ value: Any, _ message: String) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: codingPath, debugDescription: message))
    }

    /// The error of too many containers inside of each other.
    private var tooDeep: EncodingError {
        error(node, "Values are nested in each other more than \(NodeEncoder.depthLimit) times.")
    }

    /// This encoder, or, if it is too deep, one whose result is discarded, because the caller cannot throw.
    func nested() -> NodeEncoder {
        guard depth >= NodeEncoder.depthLimit else { return self }
        errors.add(tooDeep)
        return NodeEncoder(
            node: EncodedNode(), codingPath: codingPath, depth: depth, isElement: isElement, errors: errors)
    }
}

extension NodeEncoder: SingleValueEncodingContainer {
    /// Encodes that there is no value.
    func encodeNil() throws {
        guard !isElement else {
            throw error(Any?.none as Any, "An array of a property list cannot hold nil.")
        }
        node.content = .null
    }

    /// Encodes a value, one call deeper than the type that asked for it.
    func encode<T: Encodable>(_ value: T) throws {
        try NodeEncoder(
            node: node, codingPath: codingPath, depth: depth + 1, isElement: isElement, errors: errors
        ).encodeHere(value)
    }

    /// Encodes a value.
    func encodeHere<T: Encodable>(_ value: T) throws {
        if let scalar = value as? any ScalarValue {
            guard let stored = scalar.storedValue else {
                throw error(T.self, ManagedDefaults.unstorable(T.self))
            }
            guard case .nothing = node.content else { throw error(value, "It was encoded in two ways.") }
            node.content = .value(stored)
            return
        }
        guard depth < NodeEncoder.depthLimit else { throw tooDeep }
        try value.encode(to: self)
    }
}

/// The first error of functions that cannot throw.
final class EncodingErrors {
    /// The error.
    private(set) var first: EncodingError?

    /// Adds an error.
    func add(_ error: EncodingError) {
        if first == nil { first = error }
    }
}

/// A value while it is being encoded: containers are made before their content is known.
final class EncodedNode {
    /// The content so far.
    enum Content {
        /// Nothing yet.
        case nothing
        /// `nil`: there is no value.
        case null
        /// A value without parts, or one that is complete.
        case value(MDPropertyList.Value)
        /// Elements.
        case array([EncodedNode])
        /// Entries.
        case dictionary([MDPropertyList.Key: EncodedNode])
    }

    /// The content so far.
    var content = Content.nothing

    /// The complete value; `nil` if `nil` was encoded.
    ///
    /// A type that encodes nothing is an empty dictionary. Entries that are `nil` are left out: in a property list, no
    /// value is not a key. Elements never are `nil`, see ``NodeEncoder``.
    ///
    /// Complexity: O(parts). The recursion is no deeper than ``NodeEncoder/depthLimit``.
    var value: MDPropertyList.Value? {
        switch content {
        case .nothing: .dictionary([:])
        case .null: nil
        case .value(let value): value
        case .array(let nodes): .array(nodes.compactMap(\.value))
        case .dictionary(let nodes): .dictionary(nodes.compactMapValues(\.value))
        }
    }

    /// The node of an entry, which is made if it is missing.
    ///
    /// - Returns: `nil` if this is not a dictionary.
    func entry(_ key: MDPropertyList.Key) -> EncodedNode? {
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
    /// - Returns: `nil` if this is not an array.
    func element() -> EncodedNode? {
        guard case .array(var nodes) = content else { return nil }
        let node = EncodedNode()
        content = .nothing
        nodes.append(node)
        content = .array(nodes)
        return node
    }

    /// The number of elements; 0 if this is not an array.
    var count: Int {
        if case .array(let nodes) = content { nodes.count } else { 0 }
    }
}
