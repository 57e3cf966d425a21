import MDPlatform
import MDPolicyModel
import MDTools

/// The options that stand before every verb.
struct GlobalOptions {
    /// The usage of the whole program, in two lines.
    static let usage = [
        "[--root DIR] [--user NAME] [--host NAME] [--facts FILE]",
        " [--at TIME] [--json] [--verbose] [--color auto|always|never]",
        " [-currentHost | -host NAME] VERB …",
    ]

    /// The folder that is used as `/`.
    var root: String?
    /// The user that the verb is about.
    var user: String?
    /// The host that the verb is about.
    var host: String?
    /// The file of facts about the host that the verb is about.
    var facts: String?
    /// The moment that the verb is about.
    var at: (text: String, time: TimeExpression)?
    /// Whether output is one JSON document.
    var json = false
    /// Whether messages have what administrators ask for: files and lines.
    var verbose = false
    /// When output has colour.
    var color = Ink.Choice.auto
    /// Apple's `-currentHost`: the domains of this host.
    var currentHost = false
    /// Apple's `-host`: the domains of the host of this name.
    var namedHost: String?

    /// The options as a set, by which each verb declares those that it accepts.
    struct Kinds: OptionSet {
        let rawValue: UInt8

        /// `--root`.
        static var root: Kinds { Kinds(rawValue: 1) }
        /// `--user`.
        static var user: Kinds { Kinds(rawValue: 2) }
        /// `--host`.
        static var host: Kinds { Kinds(rawValue: 4) }
        /// `--facts`.
        static var facts: Kinds { Kinds(rawValue: 8) }
        /// `--at`.
        static var time: Kinds { Kinds(rawValue: 16) }
        /// `--json`.
        static var json: Kinds { Kinds(rawValue: 32) }
        /// `-currentHost` and `-host`.
        static var hostFiles: Kinds { Kinds(rawValue: 64) }

        /// For verbs whose answer depends on no machine, so that no option can make it a different one.
        static var everything: Kinds { Kinds(rawValue: .max) }
        /// For verbs that answer from policy alone, for any user, host and time.
        static var question: Kinds { [.root, .user, .host, .facts, .time, .json] }
        /// For verbs that read what users have stored.
        static var reading: Kinds { [.root, .user, .host, .time, .json, .hostFiles] }
    }

    /// Parses the options before the verb.
    ///
    /// - Parameter arguments: the command line without the program's name; afterwards it begins with the verb.
    /// - Throws: a usage failure for an option that is unknown, given twice or without its value.
    mutating func parseLeading(_ arguments: inout ArraySlice<String>) throws(Failure) {
        while let word = arguments.first, word.utf8.first == UInt8(ascii: "-"), word != "-" {
            if word == "--help" || word == "-h" || word == "--version" { return }
            if try parseLeadingOnly(word, from: &arguments) { continue }
            guard try parse(word, from: &arguments) else {
                let hint = OptionHint.sentence(for: word, of: nil)
                throw .usage("The option \(Printable.escape(word)) is not known.\(hint)")
            }
        }
    }

    /// Parses the options among the arguments behind a verb.
    ///
    /// - Parameters:
    ///   - arguments: the arguments; afterwards those that are not global options.
    ///   - own: the verb's own options, each followed by its value.
    /// - Returns: how many of the remaining arguments were behind `--`.
    /// - Throws: a usage failure for an option that is given twice or without its value.
    mutating func parseTrailing(
        _ arguments: inout ArraySlice<String>, except own: [String] = []
    ) throws(Failure) -> Int {
        var others: [String] = []
        var literal = 0
        while let word = arguments.first {
            if word == "--" {
                others.append(contentsOf: arguments.dropFirst())
                literal = arguments.count - 1
                break
            }
            if own.contains(where: { word.hasPrefix($0 + "=") }) {
                others.append(word)
                arguments.removeFirst()
            } else if own.contains(word) {
                others.append(contentsOf: arguments.prefix(2))
                arguments = arguments.dropFirst(2)
            } else if !(try parse(word, from: &arguments)) {
                others.append(word)
                arguments.removeFirst()
            }
        }
        arguments = ArraySlice(others)
        return literal
    }

    /// Moves the options before a verb that are also its own behind it, if they mean the same in both places.
    mutating func passOwnOptions(to verb: any Verb.Type, _ arguments: inout ArraySlice<String>) {
        let own = verb.ownOptions
        if let user, own.contains("--user") {
            arguments = ["--user", user] + arguments
            self.user = nil
        }
        if let host, own.contains("--host") {
            arguments = ["--host", host] + arguments
            self.host = nil
        }
    }

    /// Refuses an option that a verb does not accept, because its answer would be taken for another one.
    func check(for verb: any Verb.Type) throws(Failure) {
        let accepted = verb.accepts
        /// The verb's name; computed for messages only, because every command calls this function.
        var name: String { verb.name.joined(separator: " ") }
        if facts != nil, !accepted.contains(.facts) {
            throw .usage(
                "--facts tells about another host, whose files are not here; forced, explain and policy can be asked.")
        }
        if at != nil, !accepted.contains(.time) {
            throw .usage("--at asks what policy says at another time; \(name) works on what is now.")
        }
        if host != nil, !accepted.contains(.host) {
            throw .usage("--host asks what would be on another host; \(name) works on this one.", of: verb)
        }
        if user != nil, !accepted.contains(.user) {
            throw .usage("--user asks for one user; \(name) covers every user.", of: verb)
        }
        if json, !accepted.contains(.json) {
            throw .usage("--json has no meaning here: \(name) has no such output.", of: verb)
        }
        if currentHost || namedHost != nil, !accepted.contains(.hostFiles) {
            let word = currentHost ? "-currentHost" : "-host"
            throw .usage("\(word) says which files of a user's settings are meant; \(name) is about none.", of: verb)
        }
    }

    /// Parses one of Apple's options that stand before the verb only; returns whether the word was one.
    private mutating func parseLeadingOnly(
        _ word: String, from arguments: inout ArraySlice<String>
    ) throws(Failure) -> Bool {
        switch word {
        case "-host": namedHost = try value(of: word, word, from: &arguments, before: namedHost)
        case "-verbose", "-v":
            arguments.removeFirst()
            verbose = true
        case "-container": throw .usage("-container is not supported: applications have no containers here.")
        default: return false
        }
        return true
    }

    /// Parses one option; returns whether the word was one.
    private mutating func parse(_ word: String, from arguments: inout ArraySlice<String>) throws(Failure) -> Bool {
        // Compares bytes: comparing characters would load Unicode data that no other part of a short command needs.
        guard word.utf8.first == UInt8(ascii: "-") else { return false }
        let name = word.utf8.firstIndex(of: UInt8(ascii: "=")).map { String(word[..<$0]) } ?? word
        switch name {
        case "--json" where word == name:
            arguments.removeFirst()
            json = true
        case "--verbose" where word == name:
            arguments.removeFirst()
            verbose = true
        case "--color":
            let text = try value(of: name, word, from: &arguments, before: nil)
            guard let choice = Ink.Choice(rawValue: text) else {
                throw .usage("--color takes auto, always or never, not \(Printable.escape(text)).")
            }
            color = choice
        case "-currentHost" where word == name:
            arguments.removeFirst()
            currentHost = true
        case "--root": root = try value(of: name, word, from: &arguments, before: root)
        case "--facts": facts = try value(of: name, word, from: &arguments, before: facts)
        case "--user": user = try value(of: name, word, from: &arguments, before: user)
        case "--host":
            host = try value(of: name, word, from: &arguments, before: host)
            if let host, HostName(host) == nil {
                throw .usage("\(Printable.escape(host)) cannot be the name of a host.")
            }
        case "--at":
            guard at == nil else { throw .usage("--at stands twice.") }
            let text = try value(of: name, word, from: &arguments, before: nil)
            guard let time = TimeExpression(text) else {
                throw .usage("--at \(Printable.escape(text)) is no time \(TimeArgument.forms).")
            }
            at = (text, time)
        default: return false
        }
        return true
    }

    /// Consumes an option and its value.
    private func value(
        of name: String, _ word: String, from arguments: inout ArraySlice<String>, before: String?
    ) throws(Failure) -> String {
        guard before == nil else { throw .usage("\(name) stands twice.") }
        arguments.removeFirst()
        let value: String
        if word.utf8.count > name.utf8.count {
            value = String(Substring(word.utf8.dropFirst(name.utf8.count + 1)))
        } else {
            guard let next = arguments.popFirst() else { throw .usage("\(name) needs a value.") }
            value = next
        }
        guard !value.isEmpty else { throw .usage("\(name) needs a value that is not empty.") }
        return value
    }
}

extension GlobalOptions.Kinds {
    /// The kind of an option by its name; `nil` for any other word.
    init?(ofOption name: String) {
        switch name {
        case "--root": self = .root
        case "--user": self = .user
        case "--host": self = .host
        case "--facts": self = .facts
        case "--at": self = .time
        case "--json": self = .json
        case "-currentHost", "-host": self = .hostFiles
        default: return nil
        }
    }
}

/// The option that a misspelt one was probably meant to be.
enum OptionHint {
    /// Options of other programs, and what they are called here.
    private static let synonyms = [
        "--last": ["--limit", "--since"], "--lines": ["--limit"], "-n": ["--limit"], "--from": ["--since"],
        "--to": ["--until"], "--force": ["--yes"], "-y": ["--yes"],
    ]

    /// A blank and a sentence; empty if no option is near.
    static func sentence(for word: String, of verb: (any Verb.Type)?) -> String {
        let name = word.utf8.firstIndex(of: UInt8(ascii: "=")).map { String(word[..<$0]) } ?? word
        let lines = (verb?.usage ?? []) + GlobalOptions.usage
        var known: [String] = []
        for line in lines {
            for part in line.utf8.split(whereSeparator: { " |[]=…".utf8.contains($0) })
            where part.first == UInt8(ascii: "-") {
                known.append(String(Substring(part)))
            }
        }
        if let meant = synonyms[name]?.filter(known.contains), !meant.isEmpty {
            return " Probably \(meant.joined(separator: " or ")) is meant."
        }
        guard let near = Suggestion.nearest(to: name, among: known), near != name else { return "" }
        return " Probably \(near) is meant."
    }
}
