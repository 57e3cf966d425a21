import Platform

/// The words behind a verb, taken one by one.
struct Words {
    /// The verb whose usage a mistake shows.
    let verb: any Verb.Type
    /// The words that are left.
    private(set) var rest: ArraySlice<String>
    /// How many of the last words stood behind `--`, so that they are no options whatever they look like.
    private let literal: Int

    /// Makes a list of words, of which the last ones may be literal.
    init(_ words: some Sequence<String>, literal: Int = 0, of verb: any Verb.Type) {
        self.verb = verb
        self.literal = literal
        rest = ArraySlice(words)
    }

    /// Whether the next word stood behind `--`.
    var isNextLiteral: Bool { rest.count <= literal }

    /// Steps over `--`, where words are behind it.
    mutating func skipDashes() {
        if rest.count > 1, rest.first == "--" { rest.removeFirst() }
    }

    /// Steps over `--`, where it does not itself have to be one of the last words.
    ///
    /// - Parameter count: how many words there are to be behind it.
    mutating func skipDashes(before count: Int) {
        if rest.count == count + 1, rest.first == "--" { rest.removeFirst() }
    }

    /// Takes the next word, or `nil` at the end.
    mutating func next() -> String? { rest.popFirst() }

    /// Takes the next word, which must be there.
    ///
    /// - Parameter what: what the word stands for: `a key`.
    /// - Returns: the word.
    /// - Throws: a usage failure at the end of the words.
    mutating func next(_ what: String) throws(Failure) -> String {
        guard let word = rest.popFirst() else {
            throw .usage("\(what.prefix(1).uppercased())\(what.dropFirst()) is missing.", of: verb)
        }
        return word
    }

    /// Takes a flag wherever it stands; whether it was there.
    mutating func flag(_ names: String...) -> Bool {
        guard let index = rest.dropLast(literal).firstIndex(where: { names.contains($0) }) else { return false }
        rest.remove(at: index)
        return true
    }

    /// Takes an option with its value wherever it stands: `--since X` or `--since=X`.
    mutating func option(_ name: String) throws(Failure) -> String? {
        let words = rest.dropLast(literal)
        guard let index = words.firstIndex(where: { $0 == name || $0.hasPrefix(name + "=") }) else { return nil }
        let word = rest.remove(at: index)
        let value: String
        if word.utf8.count > name.utf8.count {
            value = String(word.dropFirst(name.count + 1))
        } else if index < words.endIndex - 1 {
            value = rest.remove(at: index)
        } else {
            throw .usage("\(name) needs a value.", of: verb)
        }
        if rest.dropLast(literal).contains(where: { $0 == name || $0.hasPrefix(name + "=") }) {
            throw .usage("\(name) stands twice.", of: verb)
        }
        return value
    }

    /// Refuses words that are left over, as Apple's tool does.
    func endUnchanged() throws(Failure) {
        guard let word = rest.first else { return }
        var failure = Failure.usage(
            "Unexpected argument \(Printable.escape(word)); leaving defaults unchanged.", of: verb)
        // It may be the rest of a value that lacks its quotes.
        failure.withoutValue = "Unexpected argument; leaving defaults unchanged."
        throw failure
    }

    /// Refuses words that are left over.
    func end() throws(Failure) {
        if let word = rest.first {
            let what = word.hasPrefix("-") && !isNextLiteral ? "option" : "word"
            throw .usage("The \(what) \(Printable.escape(word)) is not understood here.", of: verb)
        }
    }
}
