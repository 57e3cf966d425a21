import Platform

/// The options that stand before every verb.
struct GlobalOptions {
    /// The usage of the whole program, in two lines.
    static let usage = [
        "[--root DIR] [--user NAME] [--host NAME] [--facts FILE]",
        " [--at TIME] [--json] [-currentHost | -host NAME] VERB …",
    ]

    /// A folder that stands for `/`.
    var root: String?
    /// Whom to ask for.
    var user: String?
    /// The host to ask for.
    var host: String?
    /// The file that tells about the host to ask for.
    var facts: String?
    /// The moment to ask for.
    var at: Timestamp?
    /// Whether output is for programs.
    var json = false
    /// Apple's `-currentHost`: the domains of this host.
    var currentHost = false
    /// Apple's `-host`: the domains of the host of this name.
    var namedHost: String?

    /// Takes the options from the front of a command line.
    ///
    /// - Parameter words: the command line without the program's name; the verb remains in front.
    /// - Throws: a usage failure for an option that is unknown, given twice or without its value.
    mutating func takeFront(of words: inout ArraySlice<String>) throws(Failure) {
        while let word = words.first, word.utf8.first == UInt8(ascii: "-"), word != "-" {
            if word == "--help" || word == "-h" || word == "--version" { return }
            if try takeFrontOnly(word, from: &words) { continue }
            guard try take(word, from: &words) else {
                throw .usage("The option \(Printable.escape(word)) is not known.")
            }
        }
    }

    /// Takes the options from among the words behind a verb.
    ///
    /// - Parameters:
    ///   - words: the words; those that are no options remain.
    ///   - own: the options that the verb takes itself, with the word behind them.
    /// - Returns: how many of the remaining words stood behind `--`.
    /// - Throws: a usage failure for an option that stands twice or lacks its value.
    mutating func takeAll(of words: inout ArraySlice<String>, except own: [String] = []) throws(Failure) -> Int {
        var others: [String] = []
        var literal = 0
        while let word = words.first {
            if word == "--" {
                others.append(contentsOf: words.dropFirst())
                literal = words.count - 1
                break
            }
            if own.contains(where: { word.hasPrefix($0 + "=") }) {
                others.append(word)
                words.removeFirst()
            } else if own.contains(word) {
                others.append(contentsOf: words.prefix(2))
                words = words.dropFirst(2)
            } else if !(try take(word, from: &words)) {
                others.append(word)
                words.removeFirst()
            }
        }
        words = ArraySlice(others)
        return literal
    }

    /// Gives a verb its own options that stood before it, where they mean what they mean behind it.
    mutating func give(to verb: any Verb.Type, _ words: inout ArraySlice<String>) {
        let own = verb.ownOptions
        if let user, own.contains("--user") {
            words = ["--user", user] + words
            self.user = nil
        }
        if let host, own.contains("--host") {
            words = ["--host", host] + words
            self.host = nil
        }
    }

    /// Takes one of Apple's options that stand before the verb only; whether the word was one.
    private mutating func takeFrontOnly(
        _ word: String, from words: inout ArraySlice<String>
    ) throws(Failure) -> Bool {
        switch word {
        case "-host": namedHost = try value(of: word, word, from: &words, before: namedHost)
        // Apple's tool says more then; here everything that is worth a word is said anyway.
        case "-verbose": words.removeFirst()
        case "-container": throw .usage("-container is not supported: applications have no containers here.")
        default: return false
        }
        return true
    }

    /// Takes one option; whether the word was one.
    private mutating func take(_ word: String, from words: inout ArraySlice<String>) throws(Failure) -> Bool {
        // Bytes: what knows of whole characters lies elsewhere in the program, and has to be brought into memory first.
        guard word.utf8.first == UInt8(ascii: "-") else { return false }
        let name = word.utf8.firstIndex(of: UInt8(ascii: "=")).map { String(word[..<$0]) } ?? word
        switch name {
        case "--json" where word == name:
            words.removeFirst()
            json = true
        case "-currentHost" where word == name:
            words.removeFirst()
            currentHost = true
        case "--root": root = try value(of: name, word, from: &words, before: root)
        case "--facts": facts = try value(of: name, word, from: &words, before: facts)
        case "--user": user = try value(of: name, word, from: &words, before: user)
        case "--host":
            host = try value(of: name, word, from: &words, before: host)
            if let host, HostName(host) == nil {
                throw .usage("\(Printable.escape(host)) cannot be the name of a host.")
            }
        case "--at":
            guard at == nil else { throw .usage("--at stands twice.") }
            let text = try value(of: name, word, from: &words, before: nil)
            guard let time = Timestamp(rfc3339: text) else {
                throw .usage(
                    "\(Printable.escape(text)) is no time of RFC 3339, such as 2026-11-23T09:00:00+01:00 or "
                        + "2026-11-23T08:00:00Z.")
            }
            at = time
        default: return false
        }
        return true
    }

    /// Takes an option and its value.
    private func value(
        of name: String, _ word: String, from words: inout ArraySlice<String>, before: String?
    ) throws(Failure) -> String {
        guard before == nil else { throw .usage("\(name) stands twice.") }
        words.removeFirst()
        let value: String
        if word.utf8.count > name.utf8.count {
            value = String(Substring(word.utf8.dropFirst(name.utf8.count + 1)))
        } else {
            guard let next = words.popFirst() else { throw .usage("\(name) needs a value.") }
            value = next
        }
        guard !value.isEmpty else { throw .usage("\(name) needs a value that is not empty.") }
        return value
    }
}
