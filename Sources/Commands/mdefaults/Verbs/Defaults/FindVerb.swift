import MDEngine
import MDPlatform
import MDPreferences
import MDPropertyList

/// `find`: the entries of all domains that contain a word.
enum FindVerb: Verb {
    static let name = ["find"]
    static var accepts: GlobalOptions.Kinds { .reading }
    static var isPlainReading: Bool { true }
    static let summary = "list the entries of all domains that hold a word"
    static let usage = ["find WORD"]
    static let help = """
        Prints every entry whose key or value holds WORD, at any depth and whatever the case of its letters, and all
        entries of a domain whose name holds it. The values are those that an application gets, as read prints them.
        Of sensitive keys only the name is searched, and (sensitive) printed.
        With -currentHost: policy and what the user stored for this host only.

        JSON: {"DOMAIN":{"KEY":VALUE}}
        Exit 0, found or not: Apple's tool has it so, and scripts rely on it. With --json nothing found is {}.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let word = try arguments.next("A word")
        try arguments.requireEndUnchanged()
        let account = try context.account()
        return try context.run(as: account) { session throws(Failure) in
            let reader = DomainReader(session, scope: try context.scope())
            let pattern = Pattern(word)
            var isFound = false
            var problems: Set<String> = []
            var json = JSONWriter(pretty: true)
            json.beginObject()
            for domain in try reader.domains() + [DomainName.global] {
                let content = reader.values(of: domain)
                problems.formUnion(content.problems)
                let values = pattern.matches(of: content.values ?? [:], in: domain)
                guard !values.isEmpty else { continue }
                isFound = true
                if context.options.json {
                    json.member(domain.string)
                    json.value(.dictionary(values))
                } else {
                    let entries = OpenStepWriter.description(of: .dictionary(values))
                    let title = Printable.escape(DomainNotation.title(domain))
                    try context.console.line("Found \(values.count) keys in domain '\(title)': \(entries)")
                }
            }
            json.endObject()
            if context.options.json {
                try context.print(json)
            } else if !isFound {
                context.console.say("No domain, key, nor value containing '\(Printable.escape(word))'")
            }
            for problem in problems.sorted() { context.console.say(problem) }
            return Context.Outcome(code: .success)
        }.code
    }

    /// A word to search in texts.
    private struct Pattern {
        /// The word in lower case; an empty one matches nothing.
        private let word: [UInt8]

        /// Makes a pattern.
        init(_ word: String) {
            self.word = Array(word.lowercased().utf8)
        }

        /// The entries of a domain that contain the word; all of them if its name does.
        func matches(of values: [Key: Value], in domain: Key) -> [Key: Value] {
            isHeld(by: DomainNotation.title(domain)) || isHeld(by: domain.string)
                ? values : values.filter { isHeld(by: $0.key.string) || isHeld(by: $0.value) }
        }

        /// Whether a value contains the word in its text, or in one of its keys and values.
        private func isHeld(by value: Value) -> Bool {
            var open = [value]
            while let value = open.popLast() {
                switch value {
                case .array(let elements): open += elements
                case .dictionary(let entries):
                    if entries.keys.contains(where: { isHeld(by: $0.string) }) { return true }
                    open += entries.values
                case .data: break
                default: if isHeld(by: OpenStepWriter.description(of: value)) { return true }
                }
            }
            return false
        }

        /// Whether a text contains the word.
        private func isHeld(by text: String) -> Bool {
            let bytes = Array(text.lowercased().utf8)
            guard !word.isEmpty, bytes.count >= word.count else { return false }
            return (0...(bytes.count - word.count)).contains { bytes[$0...].starts(with: word) }
        }
    }
}
