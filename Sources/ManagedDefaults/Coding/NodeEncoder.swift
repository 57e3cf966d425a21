import PropertyList

/// Encodes into one node; the encoder that Codable types see.
///
/// Numbers, truth values, texts, `Date`, `Data` and `URL` (as its absolute string) are values without parts. `nil` is no
/// entry in a dictionary, and is refused in an array, which cannot have gaps.
struct NodeEncoder: Encoder {
    /// The most arrays and dictionaries inside of each other, and calls of `encode(to:)` that wait for each other.
    ///
    /// A type that contains itself ends here, not at the end of the stack: each level takes some kilobytes of it.
    static let depthLimit = 128

    /// The node.
    let node: EncodedNode
    /// Where the node is.
    let codingPath: [any CodingKey]
    /// The number of nodes around this one.
    let depth: Int
    /// Whether the node is an element of an array.
    let isElement: Bool
    /// What a type did that no encoder can express; thrown at the end, as containers are handed out without errors.
    let mistakes: EncodingMistakes

    /// Nothing: types that are stored must not depend on who stores them.
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Hands out a container of entries.
    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(EntryEncoder<Key>(encoder: self, node: begin(.dictionary([:]))))
    }

    /// Hands out a container of elements.
    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        ElementEncoder(encoder: self, node: begin(.array([])))
    }

    /// Hands out a container of the value itself.
    func singleValueContainer() -> any SingleValueEncodingContainer {
        self
    }

    /// Makes the node a container, or notes that it is something else already.
    private func begin(_ content: EncodedNode.Content) -> EncodedNode {
        switch (node.content, content) {
        case (.nothing, _): node.content = content
        // A super class may encode into the container of its subclass.
        case (.dictionary, .dictionary), (.array, .array): break
        default:
            mistakes.note(error(node, "It was encoded in two ways."))
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
            mistakes: mistakes)
    }

    /// Says what cannot be encoded, and where.
    func error(_ value: Any, _ message: String) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: codingPath, debugDescription: message))
    }

    /// Says that there are too many containers inside of each other.
    private var tooDeep: EncodingError {
        error(node, "Values are nested in each other more than \(NodeEncoder.depthLimit) times.")
    }

    /// This encoder, where it is not too deep; else one whose result is dropped, as there is no way to throw here.
    func nested() -> NodeEncoder {
        guard depth >= NodeEncoder.depthLimit else { return self }
        mistakes.note(tooDeep)
        return NodeEncoder(
            node: EncodedNode(), codingPath: codingPath, depth: depth, isElement: isElement, mistakes: mistakes)
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
            node: node, codingPath: codingPath, depth: depth + 1, isElement: isElement, mistakes: mistakes
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

/// The first mistake of types that were encoded.
final class EncodingMistakes {
    /// The mistake.
    private(set) var first: EncodingError?

    /// Notes a mistake.
    func note(_ mistake: EncodingError) {
        if first == nil { first = mistake }
    }
}
