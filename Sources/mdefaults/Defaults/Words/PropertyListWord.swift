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
    /// - Throws: exit 5 with Apple's text and the place of the mistake.
    static func value(of word: String) throws(Failure) -> Value {
        guard isStructured(word) else { return .string(word) }
        do {
            return try Document.read(Array(word.utf8), limits: limits).root.value
        } catch {
            throw Failure(
                code: .badInput,
                message: "Could not parse: \(shortened(word)).  Try single-quoting it. "
                    + "At \(error.position): \(error.message); -string takes any text as it is.")
        }
    }

    /// At most this many characters of a word are repeated in a message.
    private static let bound = 80

    /// A word for a message.
    private static func shortened(_ word: String) -> String {
        Printable.escape(word.count > bound ? word.prefix(bound) + "…" : word)
    }
}
