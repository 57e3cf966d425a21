/// Reads one XML property list from beginning to end.
struct XMLParser {
    /// Walks over the text.
    var scanner: TextScanner
    /// Puts the values together.
    var builder: NodeBuilder
    /// Whether texts may hold characters that XML forbids, but for NUL.
    var allowsControlCharacters = false
    /// Whether what Apple's reader passes over is forgiven, with a warning.
    var isTolerant = false
    /// What stands around the values.
    var frame = XMLFrame.propertyList
    /// The scalars whose text could not be read, by the offsets of their nodes; only of a tolerant reading.
    var unreadable: [Int: PropertyListError] = [:]
    /// The references that stand for nothing, in their order; only of a tolerant reading.
    var mistakes: [PropertyListError] = []

    /// Makes a parser of a text.
    init(_ source: SourceText, limits: Limits) throws(PropertyListError) {
        scanner = try TextScanner(source, limits: limits)
        builder = NodeBuilder(source: source, limits: limits)
    }

    /// Reads the whole text.
    mutating func document() throws(PropertyListError) -> Document {
        try readProlog()
        let rootOffset = scanner.index
        try readRoot()
        while try readContent(rootOffset) {
            if frame == .bare, !builder.isInContainer { break }
        }
        try readEpilog()
        guard let root = builder.root else {
            throw scanner.mistake(.syntax, "<plist> holds no value", at: rootOffset)
        }
        return Document(root: root, format: .xml, source: scanner.source, warnings: builder.warnings)
    }

    /// Reads one tag within `<plist>`, with the text of a value if it opens one; gives whether `<plist>` is still open.
    ///
    /// The offset is that of `<plist>`.
    private mutating func readContent(_ rootOffset: Int) throws(PropertyListError) -> Bool {
        try skipMisc()
        let offset = scanner.index
        guard let byte = scanner.current else {
            guard frame == .fragment, builder.isOutermost, builder.pendingKey == nil else {
                throw endsEarly(rootOffset)
            }
            builder.close()
            return false
        }
        guard byte == UInt8(ascii: "<") else {
            throw scanner.mistake(
                .syntax, "text can stand only within a value, not \(here)\(unseen)", at: offset)
        }
        if scanner.byte(ahead: 1) == UInt8(ascii: "/") {
            return try readClosingTag(at: offset)
        }
        let (element, isEmpty) = try readOpeningTag()
        try checkPlace(of: element, at: offset)
        switch element {
        case .plist: throw scanner.mistake(.syntax, "<plist> can stand only at the root", at: offset)
        case .key: try builder.add(key: Key(isEmpty ? "" : readText(in: .key, at: offset)), at: offset)
        case .dict, .array:
            try builder.open(dictionary: element == .dict, at: offset)
            if isEmpty { builder.close() }
        default: try builder.add(readScalar(element, isEmpty: isEmpty, at: offset), at: offset)
        }
        return true
    }

    /// Checks that an element may stand where it stands.
    private func checkPlace(of element: XMLElement, at offset: Int) throws(PropertyListError) {
        if element == .key {
            guard builder.isInDictionary else {
                throw scanner.mistake(.syntax, "a <key> can stand only in a <dict>, not \(here)", at: offset)
            }
            guard builder.pendingKey == nil else { throw keyWithoutValue() }
        } else if builder.isInDictionary, builder.pendingKey == nil {
            throw scanner.mistake(.syntax, "<dict> needs a <key> before this \(element.tag)", at: offset)
        } else if !builder.isInContainer, builder.root != nil {
            throw scanner.mistake(
                .trailingContent, "<plist> holds one value, and this \(element.tag) is a second", at: offset)
        }
    }

    /// Reads the closing tag of a container or of `<plist>`, and gives whether `<plist>` is still open.
    private mutating func readClosingTag(at offset: Int) throws(PropertyListError) -> Bool {
        let open: XMLElement = !builder.isInContainer ? .plist : builder.isInDictionary ? .dict : .array
        try takeClosingTag(of: open, at: builder.containerOffset)
        if builder.pendingKey != nil { throw keyWithoutValue() }
        guard builder.isInContainer else { return false }
        builder.close()
        // A fragment may close the dictionary that it does not open.
        return frame != .fragment || builder.isInContainer
    }

    /// The mistake of a key whose value is missing, at the key.
    private func keyWithoutValue() -> PropertyListError {
        guard let key = builder.pendingKey else {
            return scanner.mistake(.syntax, "<dict> has a <key> without a value", at: scanner.index)
        }
        return scanner.mistake(
            .syntax, "<dict> has a <key> without a value: \(Excerpt.quote(key.name.string))", at: key.offset)
    }

    /// The mistake of a text that ends before `</plist>`.
    private func endsEarly(_ rootOffset: Int) -> PropertyListError {
        let offset = builder.containerOffset ?? rootOffset
        let name: XMLElement = !builder.isInContainer ? .plist : builder.isInDictionary ? .dict : .array
        return scanner.truncated(
            "the file ends within \(name.tag), which begins at \(scanner.source.position(at: offset))")
    }

    /// What is added where the text that cannot stand here begins with a character that nobody sees.
    private var unseen: String {
        guard let scalar = scanner.scalar(at: scanner.index), Excerpt.isUnseen(scalar) else { return "" }
        return "; the character \(Excerpt.codePoint(scalar)), which looks like a blank or like nothing, stands here"
    }

    /// Names the innermost open element, for messages.
    private var here: String {
        !builder.isInContainer ? "directly in <plist>" : builder.isInDictionary ? "directly in <dict>" : "in <array>"
    }
}
