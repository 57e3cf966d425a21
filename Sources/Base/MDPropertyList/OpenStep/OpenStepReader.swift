/// Reads property lists in the OpenStep encoding, old-style text: `{ key = value; list = (a, b); }`.
///
/// The text may have dictionaries, arrays with an optional comma at the end, quoted and unquoted strings, data as
/// `<0fbd77 1c>` or, as in GNUstep, `<[base64]>`, GNUstep's typed values `<*I5>`, `<*R1.5>`, `<*BY>` and `<*D2026-11-20
/// 08:00:00 +0000>`, and comments of both kinds. Octal escapes use the NextStep encoding, as in CoreFoundation. Some
/// constructs that CoreFoundation accepts are errors: an unknown escape, fewer than four digits after `\U`, half of a
/// surrogate pair. A missing semicolon before `}` is a warning.
package struct OpenStepReader {
    /// Reads a whole text.
    ///
    /// - Parameters:
    ///   - source: the text.
    ///   - limits: the limits beyond which it is refused.
    ///   - allowsStrings: whether the root dictionary may have no braces, as in a strings file; the value of an entry
    ///     without a value, `key;`, is then its key.
    /// - Returns: the document; a single word is a string.
    /// - Throws: the first error, with its position.
    /// - Complexity: O(n) time; the stack does not grow with the depth.
    package static func read(
        _ source: SourceText, limits: Limits = .standard, allowsStrings: Bool = false
    ) throws(PropertyListError) -> Document {
        var parser = try OpenStepParser(source, limits: limits)
        return try parser.document(allowsStrings: allowsStrings)
    }
}

/// Reads one OpenStep property list from beginning to end.
struct OpenStepParser {
    /// What may come next.
    private enum Expectation {
        /// A value.
        case value
        /// A value or the end of the array.
        case element
        /// A key or the end of the dictionary.
        case key
        /// What follows a value: a separator, or the end of the array or dictionary.
        case separator
        /// Nothing more.
        case end
    }

    /// The scanner of the text.
    var scanner: TextScanner
    /// The builder of the values.
    var builder: NodeBuilder
    /// Whether the root dictionary has no braces.
    private var isStrings = false

    /// Makes a parser of a text.
    init(_ source: SourceText, limits: Limits) throws(PropertyListError) {
        scanner = try TextScanner(source, limits: limits)
        builder = NodeBuilder(source: source, limits: limits)
    }

    /// Reads the whole text.
    mutating func document(allowsStrings: Bool) throws(PropertyListError) -> Document {
        try skipBlanksAndComments()
        guard !scanner.isAtEnd else {
            throw scanner.error(.empty, "the file holds no property list", at: 0)
        }
        let start = scanner.index
        var next = Expectation.value
        if allowsStrings, try isKey() {
            isStrings = true
            try builder.open(dictionary: true, at: start)
            next = .key
        }
        while next != .end {
            try skipBlanksAndComments()
            next = try step(next)
        }
        guard let root = builder.root else {
            throw scanner.error(.empty, "the file holds no property list", at: 0)
        }
        return Document(root: root, format: .openStep, source: scanner.source, warnings: builder.warnings)
    }

    /// Whether a string and then `=` or `;` comes next; does not move.
    private mutating func isKey() throws(PropertyListError) -> Bool {
        guard let byte = scanner.current, OpenStepParser.beginsString(byte) else { return false }
        let start = scanner.index
        _ = try readString()
        try skipBlanksAndComments()
        let isKey = scanner.current == UInt8(ascii: "=") || scanner.current == UInt8(ascii: ";")
        scanner.index = start
        return isKey
    }

    /// Reads one piece of the text, and returns what may follow it.
    private mutating func step(_ expectation: Expectation) throws(PropertyListError) -> Expectation {
        switch expectation {
        case .value: return try readValue()
        case .element: return scanner.skip(UInt8(ascii: ")")) ? close() : try readValue()
        case .key: return try readKey()
        case .separator: return try readSeparator()
        case .end: return .end
        }
    }

    /// Reads a scalar, or the opening of an array or a dictionary.
    private mutating func readValue() throws(PropertyListError) -> Expectation {
        let offset = scanner.index
        guard let byte = scanner.current else { throw endsEarly() }
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "("):
            scanner.index += 1
            try builder.open(dictionary: byte == UInt8(ascii: "{"), at: offset)
            return byte == UInt8(ascii: "{") ? .key : .element
        case UInt8(ascii: "<"): try builder.add(readAngled(), at: offset)
        case _ where OpenStepParser.beginsString(byte): try builder.add(.string(readString()), at: offset)
        default: throw unexpected("where a value should stand")
        }
        return .separator
    }

    /// Reads a key and its equals sign, or the end of the dictionary.
    private mutating func readKey() throws(PropertyListError) -> Expectation {
        let offset = scanner.index
        guard let byte = scanner.current else {
            guard isStrings, builder.isOutermost else { throw endsEarly() }
            return close()
        }
        if byte == UInt8(ascii: "}"), !(isStrings && builder.isOutermost) {
            scanner.index += 1
            return close()
        }
        guard OpenStepParser.beginsString(byte) else { throw unexpected("where a key should stand") }
        let key = Key(try readString())
        try builder.add(key: key, at: offset)
        try skipBlanksAndComments()
        if scanner.skip(UInt8(ascii: "=")) { return .value }
        guard !scanner.isAtEnd else { throw endsEarly() }
        if isStrings, builder.isOutermost, scanner.skip(UInt8(ascii: ";")) {
            try builder.add(.string(key.string), at: offset)
            return .key
        }
        throw unexpected("where \"=\" should follow a key")
    }

    /// Reads what follows a value.
    private mutating func readSeparator() throws(PropertyListError) -> Expectation {
        guard builder.isInContainer else {
            guard !scanner.isAtEnd else { return .end }
            guard scanner.current != UInt8(ascii: "=") else {
                throw scanner.error(
                    .syntax, "the entries of the dictionary need braces around them: { key = value; }",
                    at: scanner.index)
            }
            throw scanner.error(.trailingContent, "something follows the property list", at: scanner.index)
        }
        guard !scanner.isAtEnd else { throw endsEarly() }
        if !builder.isInDictionary {
            if scanner.skip(UInt8(ascii: ",")) { return .element }
            if scanner.skip(UInt8(ascii: ")")) { return close() }
            throw unexpected("where \",\" or \")\" should stand")
        }
        if scanner.skip(UInt8(ascii: ";")) { return .key }
        if scanner.current == UInt8(ascii: "}"), !(isStrings && builder.isOutermost) {
            builder.warn(.syntax, "\";\" is missing before this \"}\"", at: scanner.index)
            scanner.index += 1
            return close()
        }
        throw unexpected("where \";\" should stand")
    }

    /// Ends the innermost array or dictionary.
    private mutating func close() -> Expectation {
        builder.close()
        return .separator
    }

    /// The error for a character that is not allowed at its position.
    private func unexpected(_ place: String) -> PropertyListError {
        guard let scalar = scanner.scalar(at: scanner.index) else { return endsEarly() }
        let hint = scalar.isASCII ? "" : "; such characters need quotation marks"
        return scanner.error(.syntax, "\(Excerpt.character(scalar)) stands \(place)\(hint)", at: scanner.index)
    }

    /// The error for a text that ends within an array or a dictionary.
    private func endsEarly() -> PropertyListError {
        guard let offset = builder.containerOffset else {
            return scanner.truncated("the file ends where a value should stand")
        }
        let name = builder.isInDictionary ? "dictionary" : "array"
        return scanner.truncated(
            "the file ends within the \(name) that begins at \(scanner.source.position(at: offset))")
    }
}
