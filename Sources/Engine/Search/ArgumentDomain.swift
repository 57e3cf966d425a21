package import PropertyList

/// NSArgumentDomain: the `-key value` pairs of a command line.
package enum ArgumentDomain {
    /// Reads the pairs of a command line, as Foundation does.
    ///
    /// A word that begins with `-` and has a name behind it is a key; the next word is its value unless it begins with
    /// `-` itself. Of a key that stands twice the last pair counts. A value that begins with `{`, `(`, `<` or `"` and
    /// parses as a property list is one; any other is a string without the blanks around it.
    ///
    /// - Parameter arguments: the command line, the program's name included.
    /// - Returns: the values by key.
    package static func values(of arguments: [String]) -> [Key: Value] {
        var result: [Key: Value] = [:]
        var index = 1
        while index < arguments.count {
            let word = arguments[index]
            index += 1
            guard word.utf8.first == UInt8(ascii: "-"), word.utf8.count > 1, index < arguments.count else { continue }
            let next = arguments[index]
            guard next.utf8.first != UInt8(ascii: "-") else { continue }
            result[Key(String(word.dropFirst()))] = value(of: next)
            index += 1
        }
        return result
    }

    /// The largest value that is parsed as a property list; a longer one stays a string.
    private static let limits = Limits(bytes: 1 << 20, depth: 64, objects: 100_000)

    /// The value that one word stands for.
    private static func value(of word: String) -> Value {
        let text = trimmed(word)
        guard let first = text.utf8.first, "{(<\"".utf8.contains(first) else { return .string(text) }
        guard let document = try? Document.read(Array(text.utf8), limits: limits) else { return .string(text) }
        return document.root.value
    }

    /// A word without ASCII blanks around it.
    private static func trimmed(_ word: String) -> String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0d).contains($0) }
        guard let start = word.utf8.firstIndex(where: { !isBlank($0) }),
            let end = word.utf8.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(word[start...end])
    }
}
