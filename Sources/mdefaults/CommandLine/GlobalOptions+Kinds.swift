extension GlobalOptions {
    /// The options that stand before every verb, as a set.
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

        /// What verbs take whose answer is about no machine at all, so that nobody takes it for another one.
        static var everything: Kinds { Kinds(rawValue: .max) }
        /// What verbs take that answer from policy alone: they can be asked about anybody, anywhere, at any time.
        static var question: Kinds { [.root, .user, .host, .facts, .time, .json] }
        /// What verbs take that look at what users have stored.
        static var reading: Kinds { [.root, .user, .host, .time, .json, .hostFiles] }
    }

    /// Refuses an option that means nothing to a verb: whoever gave it would take the answer for another one.
    func check(for verb: any Verb.Type) throws(Failure) {
        let takes = verb.takes
        /// The verb's name; made only for a message, because every command comes by here.
        var name: String { verb.name.joined(separator: " ") }
        if facts != nil, !takes.contains(.facts) {
            throw .usage(
                "--facts tells about another host, whose files are not here; forced, explain and policy can be asked.")
        }
        if at != nil, !takes.contains(.time) {
            throw .usage("--at asks what policy says at another time; \(name) works on what is now.")
        }
        if host != nil, !takes.contains(.host) {
            throw .usage("--host asks what would be on another host; \(name) works on this one.", of: verb)
        }
        if user != nil, !takes.contains(.user) {
            throw .usage("--user asks for one user; \(name) covers every user.", of: verb)
        }
        if json, !takes.contains(.json) {
            throw .usage("--json has no meaning here: \(name) has no such output.", of: verb)
        }
        if currentHost || namedHost != nil, !takes.contains(.hostFiles) {
            let word = currentHost ? "-currentHost" : "-host"
            throw .usage("\(word) says which files of a user's settings are meant; \(name) is about none.", of: verb)
        }
    }
}
