import MDPlatform
import MDPropertyList

/// An argument that is a value without a type's flag: a property list or a string.
enum PropertyListArgument {
    /// The bounds of a value; the kernel bounds the command line as well.
    private static let limits = Limits(bytes: 1 << 22, depth: 128, objects: 1_000_000)

    /// Whether a word must be a property list, because it begins like an array, a dictionary, data, XML or a quoted string.
    ///
    /// Such a word that does not parse is refused, because storing it as a string would surprise.
    static func isStructured(_ word: String) -> Bool {
        let first = word.utf8.first { $0 != 0x20 && !(0x09...0x0d).contains($0) }
        return first.map { "{(<\"".utf8.contains($0) } ?? false
    }

    /// The value of a word: a property list in OpenStep text or XML, or else the word itself as a string.
    ///
    /// A word that begins with an apostrophe is quoted only if a second one ends it: `'tis` is a plain word. As with Apple's
    /// tool, `\U21a9` in a word without quotation marks is that character.
    ///
    /// - Throws: exit 5 with Apple's text and the place of the error.
    static func value(of word: String) throws(Failure) -> Value {
        if word.utf8.first == UInt8(ascii: "'"), let value = openStep(word) { return value }
        if !isStructured(word), hasEscape(word), let value = openStep("\"\(word)\"") { return value }
        guard isStructured(word) else { return .string(word) }
        let isElement = isElement(word)
        do {
            return try isElement
                ? Document.read(Array("<plist>\n\(word)\n</plist>".utf8), as: .xml, limits: limits).root.value
                : Document.read(Array(word.utf8), limits: limits).root.value
        } catch {
            // The line of <plist> was added here.
            let line = error.position.line - (isElement ? 1 : 0)
            throw failure(
                in: word, "Try single-quoting it. At \(line):\(error.position.column)", error,
                "; -string takes any text as it is")
        }
    }

    /// The value of a word that is JSON, in the forms that `--json` prints.
    ///
    /// - Throws: exit 5 with the place of the error.
    static func json(_ word: String) throws(Failure) -> Value {
        do {
            return try Document.read(Array(word.utf8), as: .json, limits: limits).root.value
        } catch {
            throw failure(
                in: word, "With --json a value is JSON. At \(error.position.line):\(error.position.column)", error)
        }
    }

    /// The value of OpenStep text; `nil` if it does not parse.
    private static func openStep(_ text: String) -> Value? {
        try? Document.read(Array(text.utf8), as: .openStep, limits: limits).root.value
    }

    /// Whether a word has an escaped character: a backslash, `U` and four hexadecimal digits.
    private static func hasEscape(_ word: String) -> Bool {
        let bytes = Array(word.utf8)
        return bytes.indices.dropLast(5).contains { index in
            bytes[index] == UInt8(ascii: "\\") && bytes[index + 1] == UInt8(ascii: "U")
                && bytes[(index + 2)...(index + 5)].allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        }
    }

    /// Whether a word is an XML element without the surrounding `<plist>`, as scripts write it.
    ///
    /// No element's name is hexadecimal, so data in OpenStep text is never taken for one.
    private static func isElement(_ word: String) -> Bool {
        let text = word.drop { $0.isWhitespace }.dropFirst()
        return ["dict", "array", "string", "integer", "real", "true", "false", "date", "data"].contains { name in
            text.hasPrefix(name) && text.dropFirst(name.count).first.map { ">/ \t\n".contains($0) } == true
        }
    }

    /// The failure for a word that does not parse.
    private static func failure(
        in word: String, _ advice: String, _ error: PropertyListError, _ end: String = ""
    ) -> Failure {
        Failure(
            code: .badInput,
            message: "Could not parse: \(shortened(word)).  \(advice): \(error.message)\(end).",
            // The parser's message may repeat parts of the value.
            withoutValue: "Could not parse the value.  \(advice)\(end).")
    }

    /// The most characters of a word that a message repeats.
    private static let bound = 80

    /// Shortens a word for a message.
    private static func shortened(_ word: String) -> String {
        Printable.escape(word.count > bound ? word.prefix(bound) + "…" : word)
    }
}
