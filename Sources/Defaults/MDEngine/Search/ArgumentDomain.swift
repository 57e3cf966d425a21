package import MDPropertyList

/// NSArgumentDomain: the `-key value` pairs of a command line.
package enum ArgumentDomain {
    /// Reads the pairs of a command line, as macOS and Foundation do, and a little more.
    ///
    /// A word that begins with `-` and has a name behind it is a key; the next word is its value. Of a key that is
    /// given twice the last pair counts; words that belong to no pair are passed over. In detail:
    ///
    /// - A value does not begin with `-`: such a word is the next key, and the key before it has no value. Unlike
    ///   elsewhere, a negative number (`-Volume -5`) and a lone `-` (`-Input -`) are values, because the pair would be
    ///   lost otherwise; neither is a key behind another key.
    /// - `--long v` gives the key `-long`. A lone `--` is neither key nor value.
    /// - A value that begins with `{`, `(`, `<` or `"` and parses as a property list is one, as OpenStep text or as XML
    ///   with or without `<plist>` around it (`<true/>`, `<integer>5</integer>`, `<array>…</array>`). Any other is a
    ///   string without the blanks around it: also one that does not parse, JSON, and numbers, which the getters read.
    ///
    /// - Parameter arguments: the command line, the program's name included.
    /// - Returns: the values by key.
    package static func values(of arguments: [String]) -> [Key: Value] {
        var result: [Key: Value] = [:]
        var index = 1
        while index < arguments.count {
            let word = arguments[index]
            index += 1
            guard isKey(word), index < arguments.count, isValue(arguments[index]) else { continue }
            // The rest after one byte, whatever combines with it.
            result[Key(String(Substring(word.utf8.dropFirst())))] = value(of: arguments[index])
            index += 1
        }
        return result
    }

    /// Whether a word names a key, if no value is expected.
    private static func isKey(_ word: String) -> Bool {
        word.utf8.first == hyphen && word.utf8.count > 1 && !word.utf8.elementsEqual("--".utf8)
    }

    /// Whether a word behind a key is its value.
    private static func isValue(_ word: String) -> Bool {
        word.utf8.first != hyphen || word.utf8.count == 1 || isNumber(word.utf8.dropFirst())
    }

    /// Whether some bytes are a decimal number: digits, perhaps with one point, and an exponent.
    private static func isNumber(_ bytes: Substring.UTF8View) -> Bool {
        let isDigit: (UInt8) -> Bool = { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let whole = bytes.prefix(while: isDigit)
        var rest = bytes[whole.endIndex...]
        var digits = whole.count
        if rest.first == UInt8(ascii: ".") {
            let decimals = rest.dropFirst().prefix(while: isDigit)
            digits += decimals.count
            rest = rest[decimals.endIndex...]
        }
        guard digits > 0 else { return false }
        guard let mark = rest.first else { return true }
        guard mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") else { return false }
        var exponent = rest.dropFirst()
        if exponent.first == UInt8(ascii: "+") || exponent.first == hyphen { exponent = exponent.dropFirst() }
        return !exponent.isEmpty && exponent.allSatisfy(isDigit)
    }

    /// What keys begin with.
    private static let hyphen = UInt8(ascii: "-")
    /// The largest value that is parsed as a property list; a longer one stays a string.
    private static let limits = Limits(bytes: 1 << 20, depth: 64, objects: 100_000)

    /// The value of one word.
    private static func value(of word: String) -> Value {
        let text = trimmed(word)
        guard let first = text.utf8.first, "{(<\"".utf8.contains(first) else { return .string(text) }
        let bytes = Array(text.utf8)
        if let document = try? Document.read(bytes, limits: limits) { return document.root.value }
        // A value of XML alone: the reader wants the element around it.
        let framed = Array("<plist>".utf8) + bytes + Array("</plist>".utf8)
        if first == UInt8(ascii: "<"), let document = try? Document.read(framed, as: .xml, limits: limits) {
            return document.root.value
        }
        return .string(text)
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
