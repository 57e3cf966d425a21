import Platform
import Preferences
import PropertyList

extension Words {
    /// Takes the next word as a domain, or `nil` at the end.
    ///
    /// - Parameters:
    ///   - context: the machine whose policy may have a domain of exactly this name.
    ///   - user: the user whom the verb is about; `nil` for that of the context.
    /// - Returns: the domain.
    /// - Throws: a usage failure for an option that the verb does not have, and for what cannot be a domain's name.
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

    /// Takes the next word as a key, or `nil` at the end.
    ///
    /// - Throws: a usage failure for an option that the verb does not have: asking for a key of that name by mistake
    ///   would answer that it is not forced. Behind `--` every word is a key.
    mutating func nextKey() throws(Failure) -> Key? {
        let isLiteral = isNextLiteral
        guard let word = next() else { return nil }
        if !isLiteral, word.utf8.starts(with: "--".utf8) { throw unknownOption(word) }
        return Key(word)
    }

    /// Takes the words that are left as names of files.
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

    /// The failure of an option that the verb does not have.
    private func unknownOption(_ word: String) -> Failure {
        .usage("The option \(Printable.escape(word)) is not understood here.", of: verb)
    }
}
