import MDPlatform
import MDPreferences
import MDPropertyList

/// The arguments behind a verb, consumed one by one.
struct Arguments {
    /// The verb whose usage lines an error prints.
    let verb: any Verb.Type
    /// The arguments that are left.
    private(set) var remaining: ArraySlice<String>
    /// How many of the last arguments are behind `--`, so that they are never options.
    private let literal: Int

    /// Makes a list of arguments; the last ones may be literal.
    init(_ arguments: some Sequence<String>, literal: Int = 0, of verb: any Verb.Type) {
        self.verb = verb
        self.literal = literal
        remaining = ArraySlice(arguments)
    }

    /// Whether the next argument is behind `--`.
    var isNextLiteral: Bool { remaining.count <= literal }

    /// Skips `--` if arguments follow it.
    mutating func skipSeparator() {
        if remaining.count > 1, remaining.first == "--" { remaining.removeFirst() }
    }

    /// Skips `--` if exactly `count` arguments follow it; otherwise it is a value itself.
    mutating func skipSeparator(before count: Int) {
        if remaining.count == count + 1, remaining.first == "--" { remaining.removeFirst() }
    }

    /// Consumes the next argument; `nil` at the end.
    mutating func next() -> String? { remaining.popFirst() }

    /// Consumes the next argument, which is required.
    ///
    /// - Parameter what: what the argument means, for the message: `a key`.
    /// - Returns: the argument.
    /// - Throws: a usage failure at the end of the arguments.
    mutating func next(_ what: String) throws(Failure) -> String {
        guard let word = remaining.popFirst() else {
            throw .usage("\(what.prefix(1).uppercased())\(what.dropFirst()) is missing.", of: verb)
        }
        return word
    }

    /// Consumes a flag at any position; returns whether it was there.
    mutating func flag(_ names: String...) -> Bool {
        guard let index = remaining.dropLast(literal).firstIndex(where: { names.contains($0) }) else { return false }
        remaining.remove(at: index)
        return true
    }

    /// Consumes an option and its value at any position: `--since X` or `--since=X`.
    mutating func option(_ name: String) throws(Failure) -> String? {
        let options = remaining.dropLast(literal)
        guard let index = options.firstIndex(where: { $0 == name || $0.hasPrefix(name + "=") }) else { return nil }
        let word = remaining.remove(at: index)
        let value: String
        if word.utf8.count > name.utf8.count {
            value = String(word.dropFirst(name.count + 1))
        } else if index < options.endIndex - 1 {
            value = remaining.remove(at: index)
        } else {
            throw .usage("\(name) needs a value.", of: verb)
        }
        if remaining.dropLast(literal).contains(where: { $0 == name || $0.hasPrefix(name + "=") }) {
            throw .usage("\(name) stands twice.", of: verb)
        }
        return value
    }

    /// Consumes the next argument as a domain; `nil` at the end.
    ///
    /// - Parameters:
    ///   - context: the machine whose policy may have a domain of exactly this name.
    ///   - user: the user that the verb is about; `nil` for that of the context.
    /// - Returns: the domain.
    /// - Throws: a usage failure for an unknown option, and for a text that cannot be the name of a domain.
    mutating func nextDomain(_ context: Context, of user: String? = nil) throws(Failure) -> Key? {
        let isLiteral = isNextLiteral
        guard let word = next() else { return nil }
        let domain = isLiteral ? Key(word) : try context.domain(of: word, user: user)
        if !isLiteral, word.utf8.first == UInt8(ascii: "-"), domain != DomainName.global { throw unknownOption(word) }
        do {
            try DomainName.validate(domain)
        } catch {
            throw .usage(error.description, of: verb)
        }
        return domain
    }

    /// Consumes the next argument as a key; `nil` at the end.
    ///
    /// - Throws: a usage failure for an unknown option, because a misspelt option used as a key would be answered with
    ///   "not forced". Behind `--` every argument is a key.
    mutating func nextKey() throws(Failure) -> Key? {
        let isLiteral = isNextLiteral
        guard let word = next() else { return nil }
        if !isLiteral, word.utf8.starts(with: "--".utf8) { throw unknownOption(word) }
        return Key(word)
    }

    /// Consumes all remaining arguments as names of files.
    mutating func files() throws(Failure) -> [String] {
        var files: [String] = []
        while true {
            let isLiteral = isNextLiteral
            guard let word = next() else { break }
            if !isLiteral, word.hasPrefix("-") { throw unknownOption(word) }
            if word.isEmpty { throw .usage("The name of a file is empty.", of: verb) }
            files.append(word)
        }
        return files
    }

    /// Refuses remaining arguments.
    func requireEnd() throws(Failure) {
        if let word = remaining.first {
            let what = word.hasPrefix("-") && !isNextLiteral ? "option" : "word"
            let hint = what == "option" ? OptionHint.sentence(for: word, of: verb) : ""
            throw .usage("The \(what) \(Printable.escape(word)) is not understood here.\(hint)", of: verb)
        }
    }

    /// Refuses remaining arguments in the words of Apple's tool.
    func requireEndUnchanged() throws(Failure) {
        guard let word = remaining.first else { return }
        var failure = Failure.usage(
            "Unexpected argument \(Printable.escape(word)); leaving defaults unchanged.", of: verb)
        // The argument may be a part of a value that lacks its quotes.
        failure.withoutValue = "Unexpected argument; leaving defaults unchanged."
        throw failure
    }

    /// The failure for an option that the verb does not have.
    private func unknownOption(_ word: String) -> Failure {
        .usage(
            "The option \(Printable.escape(word)) is not understood here.\(OptionHint.sentence(for: word, of: verb))",
            of: verb)
    }
}
