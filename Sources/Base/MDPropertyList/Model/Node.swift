/// A value in a file, with the positions of everything in it.
///
/// Readers return nodes; ``value`` drops the positions.
package struct Node: Sendable {
    /// What the node holds.
    package enum Content: Sendable {
        /// A value without parts; never an array or a dictionary.
        case scalar(Value)
        /// The elements in file order.
        case array([Node])
        /// The entries in file order. A duplicate key has two entries; the last one counts.
        case dictionary([Entry])
    }

    /// A key and its value in a dictionary.
    package struct Entry: Sendable {
        /// The key.
        package let key: Key
        /// The beginning of the key, as an offset into the document's text or bytes.
        package let keyOffset: Int
        /// The value.
        package let value: Node

        package init(key: Key, keyOffset: Int, value: Node) {
            self.key = key
            self.keyOffset = keyOffset
            self.value = value
        }
    }

    /// What the node holds.
    package let content: Content
    /// The beginning of the node, as an offset into the document's text or bytes.
    package let offset: Int

    package init(_ content: Content, offset: Int) {
        self.content = content
        self.offset = offset
    }

    /// The value without positions; of a duplicate key, the last value.
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

    /// Makes a dictionary of entries; of a duplicate key, the last value counts.
    package static func dictionary(_ entries: [Entry]) -> [Key: Value] {
        var result = [Key: Value](minimumCapacity: entries.count)
        for entry in entries { result[entry.key] = entry.value.value }
        return result
    }
}

/// Finds duplicate keys in one dictionary.
enum DuplicateKeys {
    /// The maximum number of warnings for one file, because computing each position costs time.
    static let maximumWarnings = 100
    /// Up to this number of entries, comparing all pairs is faster than hashing.
    private static let fewEntries = 8

    /// Adds a warning for each repeated key.
    ///
    /// Complexity: O(n).
    ///
    /// - Parameters:
    ///   - entries: the entries of one dictionary.
    ///   - warnings: the warnings of the file so far.
    ///   - position: converts an offset into a position.
    static func report(
        _ entries: [Node.Entry], into warnings: inout [PropertyListError], position: (Int) -> Position
    ) {
        guard !areDistinct(entries) else { return }
        var first: [Key: Int] = [:]
        for entry in entries {
            guard let offset = first[entry.key] else {
                first[entry.key] = entry.keyOffset
                continue
            }
            guard warnings.count < maximumWarnings else { return }
            warnings.append(
                PropertyListError(
                    .duplicateKey,
                    "the key \"\(excerpt(entry.key))\" stands at \(position(offset)) already; the last value counts",
                    at: position(entry.keyOffset)))
        }
    }

    /// Whether no key occurs twice.
    static func areDistinct(_ entries: [Node.Entry]) -> Bool {
        if entries.count < 2 { return true }
        guard entries.count <= fewEntries else {
            var table = HashIndex(minimumCapacity: entries.count)
            for (index, entry) in entries.enumerated() {
                let known = table.number(hash: entry.key.quickHash(), orAdd: index) { entries[$0].key == entry.key }
                if known != nil { return false }
            }
            return true
        }
        // Access by index, because iterating would copy each entry.
        for index in entries.indices {
            for other in 0..<index where entries[other].key == entries[index].key { return false }
        }
        return true
    }

    /// The beginning of a key, for a message.
    private static func excerpt(_ key: Key) -> String {
        let text = key.string.unicodeScalars
        guard text.count > 80 else { return key.string }
        return String(String.UnicodeScalarView(text.prefix(80))) + "…"
    }
}
