/// A parsed property list file: its root, the positions of everything in it, and its warnings.
package struct Document: Sendable {
    /// The value at the root, of any type.
    package let root: Node
    /// The encoding of the file.
    package let format: Format
    /// Converts offsets into lines and columns.
    package let source: SourceText
    /// Readable content that is probably an error, for example a duplicate key.
    package let warnings: [PropertyListError]

    package init(root: Node, format: Format, source: SourceText, warnings: [PropertyListError] = []) {
        self.root = root
        self.format = format
        self.source = source
        self.warnings = warnings
    }

    /// Whether a dictionary at any level may have a duplicate key, according to the warnings.
    package var mayRepeatKeys: Bool {
        warnings.count >= DuplicateKeys.maximumWarnings || warnings.contains { $0.code == .duplicateKey }
    }

    /// The position of a node's offset.
    ///
    /// Complexity: O(log lines + line length).
    package func position(of offset: Int) -> Position {
        format == .binary ? Position(byte: offset) : source.position(at: offset)
    }

    /// The entries of the root dictionary.
    ///
    /// - Throws: `rootNotDictionary` if the root is anything else.
    package func rootEntries() throws(PropertyListError) -> [Node.Entry] {
        guard let entries = root.entries else {
            throw PropertyListError(
                .rootNotDictionary, "the root is of type \(root.typeName), not a dictionary",
                at: position(of: root.offset))
        }
        return entries
    }

    /// Whether the list of warnings is full, so that further warnings may be missing.
    package var hasMoreWarnings: Bool { warnings.count >= DuplicateKeys.maximumWarnings }
}

/// The encodings of a property list that are read and written.
package enum Format: String, Sendable, CaseIterable {
    /// XML with the `plist` root element (`PropertyList-1.0.dtd`).
    case xml
    /// Binary, `bplist00`.
    case binary
    /// OpenStep text: `{ key = value; }`.
    case openStep = "openstep"
    /// JSON, with comments and trailing commas when read.
    case json
}

/// The limits beyond which a property list is refused, so that no file exhausts memory, the stack or time.
package struct Limits: Sendable {
    /// The maximum number of bytes of a file.
    package var bytes: Int
    /// The maximum number of nested arrays and dictionaries.
    package var depth: Int
    /// The maximum number of values and keys; in a binary file, a shared object counts for each reference.
    package var objects: Int

    package init(bytes: Int, depth: Int, objects: Int) {
        self.bytes = bytes
        self.depth = depth
        self.objects = objects
    }

    /// The limits of any property list.
    ///
    /// 64 MiB and 4 million objects hold seven times the largest domain that was measured (100,000 keys, 9 MiB).
    /// CoreFoundation reads and writes 512 levels; the readers here need less than 256 KiB of stack for them, a quarter
    /// of the smallest default stack of a thread.
    package static let standard = Limits(bytes: 64 << 20, depth: 512, objects: 4_000_000)
}
