import Platform

/// The words behind a verb, taken one by one.
struct Words {
    /// The verb whose usage a mistake shows.
    let verb: any Verb.Type
    /// The words that are left.
    private(set) var rest: ArraySlice<String>

    /// Makes a list of words.
    init(_ words: some Sequence<String>, of verb: any Verb.Type) {
        self.verb = verb
        rest = ArraySlice(words)
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
        guard let index = rest.firstIndex(where: { names.contains($0) }) else { return false }
        rest.remove(at: index)
        return true
    }

    /// Takes an option with its value wherever it stands: `--since X` or `--since=X`.
    mutating func option(_ name: String) throws(Failure) -> String? {
        guard let index = rest.firstIndex(where: { $0 == name || $0.hasPrefix(name + "=") }) else { return nil }
        let word = rest.remove(at: index)
        let value: String
        if word.utf8.count > name.utf8.count {
            value = String(word.dropFirst(name.count + 1))
        } else if index < rest.endIndex {
            value = rest.remove(at: index)
        } else {
            throw .usage("\(name) needs a value.", of: verb)
        }
        if rest.contains(where: { $0 == name || $0.hasPrefix(name + "=") }) {
            throw .usage("\(name) stands twice.", of: verb)
        }
        return value
    }

    /// Refuses words that are left over.
    func end() throws(Failure) {
        if let word = rest.first {
            let what = word.hasPrefix("-") ? "option" : "word"
            throw .usage("The \(what) \(Printable.escape(word)) is not understood here.", of: verb)
        }
    }
}
