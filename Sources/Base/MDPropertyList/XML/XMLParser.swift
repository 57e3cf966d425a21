/// Reads one XML property list from beginning to end.
struct XMLParser {
    /// The scanner of the text.
    var scanner: TextScanner
    /// The builder of the values.
    var builder: NodeBuilder
    /// Whether texts may hold characters that XML forbids, except NUL.
    var allowsControlCharacters = false
    /// Whether to tolerate what Apple's reader skips, with a warning.
    var isTolerant = false
    /// The elements around the values.
    var frame = XMLFrame.propertyList
    /// The scalars whose text could not be read, by the offsets of their nodes; only in a tolerant reading.
    var unreadable: [Int: PropertyListError] = [:]
    /// The errors of undefined references, in their order; only for a tolerant reading.
    var referenceErrors: [PropertyListError] = []

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
            throw scanner.error(.syntax, "<plist> holds no value", at: rootOffset)
        }
        return Document(root: root, format: .xml, source: scanner.source, warnings: builder.warnings)
    }

    /// Reads one tag within `<plist>`, with the text of a value if it opens one; returns whether `<plist>` is still
    /// open.
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
            throw scanner.error(
                .syntax, "text can stand only within a value, not \(here)\(invisibleHint)", at: offset)
        }
        if scanner.byte(ahead: 1) == UInt8(ascii: "/") {
            return try readClosingTag(at: offset)
        }
        let (element, isEmpty) = try readOpeningTag()
        try checkPlace(of: element, at: offset)
        switch element {
        case .plist: throw scanner.error(.syntax, "<plist> can stand only at the root", at: offset)
        case .key: try builder.add(key: Key(isEmpty ? "" : readText(in: .key, at: offset)), at: offset)
        case .dict, .array:
            try builder.open(dictionary: element == .dict, at: offset)
            if isEmpty { builder.close() }
        default: try builder.add(readScalar(element, isEmpty: isEmpty, at: offset), at: offset)
        }
        return true
    }

    /// Checks that an element is allowed at its position.
    private func checkPlace(of element: XMLElement, at offset: Int) throws(PropertyListError) {
        if element == .key {
            guard builder.isInDictionary else {
                throw scanner.error(.syntax, "a <key> can stand only in a <dict>, not \(here)", at: offset)
            }
            guard builder.pendingKey == nil else { throw keyWithoutValue() }
        } else if builder.isInDictionary, builder.pendingKey == nil {
            throw scanner.error(.syntax, "<dict> needs a <key> before this \(element.tag)", at: offset)
        } else if !builder.isInContainer, builder.root != nil {
            throw scanner.error(
                .trailingContent, "<plist> holds one value, and this \(element.tag) is a second", at: offset)
        }
    }

    /// Reads the closing tag of a container or of `<plist>`, and returns whether `<plist>` is still open.
    private mutating func readClosingTag(at offset: Int) throws(PropertyListError) -> Bool {
        let open: XMLElement = !builder.isInContainer ? .plist : builder.isInDictionary ? .dict : .array
        try expectClosingTag(of: open, at: builder.containerOffset)
        if builder.pendingKey != nil { throw keyWithoutValue() }
        guard builder.isInContainer else { return false }
        builder.close()
        // A fragment may close the dictionary that it does not open.
        return frame != .fragment || builder.isInContainer
    }

    /// The error for a key whose value is missing, at the key.
    private func keyWithoutValue() -> PropertyListError {
        guard let key = builder.pendingKey else {
            return scanner.error(.syntax, "<dict> has a <key> without a value", at: scanner.index)
        }
        return scanner.error(
            .syntax, "<dict> has a <key> without a value: \(Excerpt.quote(key.name.string))", at: key.offset)
    }

    /// The error for a text that ends before `</plist>`.
    private func endsEarly(_ rootOffset: Int) -> PropertyListError {
        let offset = builder.containerOffset ?? rootOffset
        let name: XMLElement = !builder.isInContainer ? .plist : builder.isInDictionary ? .dict : .array
        return scanner.truncated(
            "the file ends within \(name.tag), which begins at \(scanner.source.position(at: offset))")
    }

    /// An addition to the message about misplaced text if its first character is invisible.
    private var invisibleHint: String {
        guard let scalar = scanner.scalar(at: scanner.index), Excerpt.isInvisible(scalar) else { return "" }
        return "; the character \(Excerpt.codePoint(scalar)), which looks like a blank or like nothing, stands here"
    }

    /// Names the innermost open element, for messages.
    private var here: String {
        !builder.isInContainer ? "directly in <plist>" : builder.isInDictionary ? "directly in <dict>" : "in <array>"
    }
}
