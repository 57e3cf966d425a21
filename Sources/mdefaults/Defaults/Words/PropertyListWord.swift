import Platform
import PropertyList

/// A value without a type's flag.
enum PropertyListWord {
    /// The bounds of a value on a command line, which the kernel bounds already.
    private static let limits = Limits(bytes: 1 << 22, depth: 128, objects: 1_000_000)

    /// Whether a word can only be meant as a property list.
    ///
    /// A path, an address or a sentence is a text without quotes; what begins like a list, a dictionary, data, XML or a
    /// quoted text has to be one, because storing half of it as a text would surprise.
    static func isStructured(_ word: String) -> Bool {
        let first = word.utf8.first { $0 != 0x20 && !(0x09...0x0d).contains($0) }
        return first.map { "{(<\"".utf8.contains($0) } ?? false
    }

    /// The value of a word: a property list in OpenStep text or XML, or the word itself as a text.
    ///
    /// A text that begins with an apostrophe is a quoted one only where it ends with its second: `'tis` is a word. As
    /// with Apple's tool, `\U21a9` in a word without quotation marks is that character.
    ///
    /// - Throws: exit 5 with Apple's text and the place of the mistake.
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
            // The line of <plist> is none of the word's.
            let line = error.position.line - (isElement ? 1 : 0)
            throw mistake(
                in: word, "Try single-quoting it. At \(line):\(error.position.column)", error,
                "; -string takes any text as it is")
        }
    }

    /// The value of a word that is JSON, in the forms that `--json` prints.
    ///
    /// - Throws: exit 5 with the place of the mistake.
    static func json(_ word: String) throws(Failure) -> Value {
        do {
            return try Document.read(Array(word.utf8), as: .json, limits: limits).root.value
        } catch {
            throw mistake(
                in: word, "With --json a value is JSON. At \(error.position.line):\(error.position.column)", error)
        }
    }

    /// The value of OpenStep text; `nil` for what is none.
    private static func openStep(_ text: String) -> Value? {
        try? Document.read(Array(text.utf8), as: .openStep, limits: limits).root.value
    }

    /// Whether a word names a character by its number: a backslash, `U` and four hexadecimal digits.
    private static func hasEscape(_ word: String) -> Bool {
        let bytes = Array(word.utf8)
        return bytes.indices.dropLast(5).contains { index in
            bytes[index] == UInt8(ascii: "\\") && bytes[index + 1] == UInt8(ascii: "U")
                && bytes[(index + 2)...(index + 5)].allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        }
    }

    /// Whether a word is an element of XML, as scripts give one without all that stands around it in a file.
    ///
    /// No element's name is hexadecimal, so none is mistaken for data in OpenStep text.
    private static func isElement(_ word: String) -> Bool {
        let text = word.drop { $0.isWhitespace }.dropFirst()
        return ["dict", "array", "string", "integer", "real", "true", "false", "date", "data"].contains { name in
            text.hasPrefix(name) && text.dropFirst(name.count).first.map { ">/ \t\n".contains($0) } == true
        }
    }

    /// The failure of a word that does not parse.
    private static func mistake(
        in word: String, _ advice: String, _ error: PropertyListError, _ end: String = ""
    ) -> Failure {
        Failure(
            code: .badInput,
            message: "Could not parse: \(shortened(word)).  \(advice): \(error.message)\(end).",
            // What the reader says may repeat what it found.
            withoutValue: "Could not parse the value.  \(advice)\(end).")
    }

    /// At most this many characters of a word are repeated in a message.
    private static let bound = 80

    /// A word for a message.
    private static func shortened(_ word: String) -> String {
        Printable.escape(word.count > bound ? word.prefix(bound) + "…" : word)
    }
}
