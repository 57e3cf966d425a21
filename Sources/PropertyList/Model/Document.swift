/// A property list file that parsed: its root, the places of everything in it, and what was odd but readable.
package struct Document: Sendable {
    /// The value at the root, of any type.
    package let root: Node
    /// The encoding that the file turned out to have.
    package let format: Format
    /// Turns offsets into lines and columns.
    package let source: SourceText
    /// What was readable but is probably a mistake: a key that stands twice, for example.
    package let warnings: [PropertyListError]

    /// Makes a document.
    package init(root: Node, format: Format, source: SourceText, warnings: [PropertyListError] = []) {
        self.root = root
        self.format = format
        self.source = source
        self.warnings = warnings
    }

    /// Whether a key may stand twice in one dictionary, however deep: what every reader warns of, as long as it has
    /// warnings left.
    package var mayRepeatKeys: Bool {
        warnings.count >= DuplicateKeys.mostWarnings || warnings.contains { $0.code == .duplicateKey }
    }

    /// The place of an offset that a node of this document holds.
    ///
    /// Complexity: O(log lines + line length).
    package func position(of offset: Int) -> Position {
        format == .binary ? Position(byte: offset) : source.position(at: offset)
    }

    /// The entries of the root dictionary.
    ///
    /// - Throws: `rootNotDictionary` where the root is anything else.
    package func rootEntries() throws(PropertyListError) -> [Node.Entry] {
        guard let entries = root.entries else {
            throw PropertyListError(
                .rootNotDictionary, "the root is of type \(root.typeName), not a dictionary",
                at: position(of: root.offset))
        }
        return entries
    }

    /// Reads a property list of any of the four encodings, told apart by its first bytes.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - format: the encoding that it must have; `nil` finds out (`bplist`, `<?xml`/`<plist`/`<!`, `(`/`{`/… as
    ///     OpenStep text).
    ///   - limits: the bounds beyond which a file is refused.
    ///   - allowsControlCharacters: whether texts in XML may hold characters that XML forbids, but for NUL.
    /// - Returns: the document, its root of any type.
    /// - Throws: the first mistake, with its place.
    package static func read(
        _ bytes: [UInt8], as format: Format? = nil, limits: Limits = .standard,
        allowsControlCharacters: Bool = false
    ) throws(PropertyListError) -> Document {
        guard bytes.count <= limits.bytes else {
            throw PropertyListError(
                .tooLarge, "the file has \(bytes.count) bytes; at most \(limits.bytes) are read", at: .start)
        }
        if format == .binary || (format == nil && BinaryReader.recognizes(bytes)) {
            return try BinaryReader.read(bytes, limits: limits)
        }
        let source = try SourceText(decoding: bytes)
        switch format ?? source.probableFormat {
        case .json: return try JSONReader.read(source, limits: limits)
        case .openStep: return try OpenStepReader.read(source, limits: limits)
        case .xml, .binary:
            return try XMLReader.read(
                source, limits: limits, allowsControlCharacters: allowsControlCharacters)
        }
    }

    /// Whether there may be more warnings than were kept: nobody reads more, and each place costs time.
    package var hasMoreWarnings: Bool { warnings.count >= DuplicateKeys.mostWarnings }
}
