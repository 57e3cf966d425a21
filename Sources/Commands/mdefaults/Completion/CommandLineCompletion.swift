import MDPlatform

/// What can stand where the cursor is in a command line.
struct CommandLineCompletion {
    /// What a word can be.
    struct Candidate: Equatable {
        /// The word.
        let text: String
        /// What it means, in a few words; may be empty.
        var note = ""
    }

    /// What the shell is to offer.
    struct Answer {
        /// The words, in the order in which they are offered.
        var candidates: [Candidate] = []
        /// Whether names of files are possible too, which the shell knows best.
        var takesFiles = false
    }

    /// What was typed before the word at the cursor, without the program's name.
    private let before: ArraySlice<String>
    /// What was typed of that word.
    private let current: String
    /// All verbs.
    private let verbs: [any Verb.Type]

    /// Makes a question.
    ///
    /// - Parameters:
    ///   - words: the words up to the cursor, without the program's name; the last one is that at the cursor.
    ///   - verbs: all verbs.
    init(_ words: ArraySlice<String>, of verbs: [any Verb.Type]) {
        before = words.dropLast()
        current = words.last ?? ""
        self.verbs = verbs
    }

    /// The options of the program, as its usage line has them.
    private static let globalOptions = UsageLine.lines([GlobalOptions.usage.joined()]).flatMap(\.options)

    /// Answers the question.
    ///
    /// - Parameter values: finds what can stand for an operand or the value of an option.
    /// - Returns: what begins as the word at the cursor does.
    func answer(_ values: (CompletionPlace) -> Answer) -> Answer {
        var rest = before
        var place = CompletionPlace()
        // The options before the verb.
        while let word = rest.first, word.utf8.first == UInt8(ascii: "-") {
            rest = rest.dropFirst()
            if let answer = skip(word, &rest, CommandLineCompletion.globalOptions, &place, values) { return answer }
        }
        var left = rest
        guard let verb = verb(&left) else {
            if rest.isEmpty, let value = value(inCurrent: CommandLineCompletion.globalOptions, place, values) {
                return value
            }
            return rest.count < 2 ? names(behind: rest) : Answer()
        }
        // `policy` alone is not a verb, but a verb may be the beginning of another one.
        let all = UsageLine.lines(verb.usage, of: verb.name)
        var answer = operands(of: verb, all, left, &place, values)
        if left.isEmpty { answer.add(names(behind: rest)) }
        return answer
    }

    /// Finds the verb, and consumes its name.
    private func verb(_ words: inout ArraySlice<String>) -> (any Verb.Type)? {
        let spelled = words.prefix(2).map { $0.lowercased() }
        for verb in verbs {
            for name in [verb.name] + verb.aliases where spelled.starts(with: name) {
                words = words.dropFirst(name.count)
                return verb
            }
        }
        return nil
    }

    /// Completes the name of a verb, and before it the options of the program.
    private func names(behind words: ArraySlice<String>) -> Answer {
        var answer = Answer()
        if words.isEmpty, current.utf8.first == UInt8(ascii: "-") {
            for option in CommandLineCompletion.globalOptions { answer.candidates.append(Candidate(text: option.name)) }
            answer.candidates += [Candidate(text: "--help"), Candidate(text: "--version")]
            return matching(answer)
        }
        for verb in verbs where verb.name.count > words.count && verb.name.starts(with: words) {
            let text = verb.name[words.count]
            if verb.name.count == words.count + 1 {
                answer.candidates.append(Candidate(text: text, note: verb.summary))
            } else if !answer.candidates.contains(where: { $0.text == text }) {
                answer.candidates.append(Candidate(text: text, note: "…"))
            }
        }
        return matching(answer)
    }

    /// Completes what follows a verb's name.
    private func operands(
        of verb: any Verb.Type, _ lines: [UsageLine], _ words: ArraySlice<String>, _ place: inout CompletionPlace,
        _ values: (CompletionPlace) -> Answer
    ) -> Answer {
        place.verb = verb.name
        var options = lines.flatMap(\.options)
        let own = options
        if verb.acceptsTrailingOptions {
            options += CommandLineCompletion.globalOptions.filter { option in
                option.name != "-host" && GlobalOptions.Kinds(ofOption: option.name).map(verb.accepts.contains) ?? false
                    && !own.contains { $0.name == option.name }
            }
        }
        var rest = words
        var operands: [String] = []
        var isLiteral = false
        while let word = rest.popFirst() {
            if isLiteral || word.utf8.first != UInt8(ascii: "-") || ["-", "-g", "-globalDomain"].contains(word) {
                operands.append(word)
            } else if word == "--" {
                isLiteral = true
            } else if let answer = skip(word, &rest, options, &place, values) {
                return answer
            }
        }
        var answer = Answer()
        if !isLiteral, current.utf8.first == UInt8(ascii: "-") {
            for option in options where !answer.candidates.contains(where: { $0.text == option.name }) {
                answer.candidates.append(Candidate(text: option.name))
            }
            answer.candidates.append(Candidate(text: "--help"))
            if let value = value(inCurrent: options, place, values) { return value }
            return matching(answer)
        }
        for line in lines where operands.starts(with: line.words.prefix(operands.count)) {
            var known = place
            if operands.count < line.words.count {
                answer.add(Answer(candidates: [Candidate(text: line.words[operands.count])]))
                continue
            }
            let typed = operands.dropFirst(line.words.count)
            for (name, word) in zip(line.operands, typed) where name == "DOMAIN" { known.domain = word }
            let index = typed.count
            guard
                let name = index < line.operands.count
                    ? line.operands[index] : line.isLastRepeated ? line.operands.last : nil
            else { continue }
            known.name = name
            answer.add(values(known))
        }
        return matching(answer)
    }

    /// Skips an option and its value, and notes what it says about the place.
    ///
    /// - Returns: the answer, if the cursor is in the option's value.
    private func skip(
        _ word: String, _ rest: inout ArraySlice<String>, _ options: [UsageLine.Option],
        _ place: inout CompletionPlace, _ values: (CompletionPlace) -> Answer
    ) -> Answer? {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let option = options.first(where: { $0.name == parts[0] }), let name = option.value else { return nil }
        if parts.count == 2 {
            place.note(option.name, parts[1])
        } else if let value = rest.popFirst() {
            place.note(option.name, value)
        } else {
            place.option = option.name
            place.name = name
            return matching(values(place))
        }
        return nil
    }

    /// Completes the value of an option in the same word: `--user=al`.
    private func value(
        inCurrent options: [UsageLine.Option], _ place: CompletionPlace, _ values: (CompletionPlace) -> Answer
    ) -> Answer? {
        let parts = current.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let option = options.first(where: { $0.name == parts[0] }), let name = option.value
        else { return nil }
        var place = place
        place.option = option.name
        place.name = name
        var answer = values(place)
        answer.candidates = answer.candidates.map { Candidate(text: "\(option.name)=\($0.text)", note: $0.note) }
        return matching(answer)
    }

    /// Leaves what begins as the word at the cursor does.
    private func matching(_ answer: Answer) -> Answer {
        var answer = answer
        answer.candidates = answer.candidates.filter { $0.text.utf8.starts(with: current.utf8) }
        return answer
    }
}

extension CommandLineCompletion.Answer {
    /// Adds what another usage line allows.
    mutating func add(_ other: CommandLineCompletion.Answer) {
        takesFiles = takesFiles || other.takesFiles
        for candidate in other.candidates where !candidates.contains(candidate) { candidates.append(candidate) }
    }
}

/// A place in a command line that is to be filled in.
struct CompletionPlace {
    /// The words of the verb.
    var verb: [String] = []
    /// The option whose value it is; `nil` for an operand.
    var option: String?
    /// What the usage line calls it, `DOMAIN` for example, or the words that are possible: `text|json`.
    var name = ""
    /// The domain that was typed before it.
    var domain: String?
    /// The folder of `--root` that was typed before it.
    var root: String?
    /// The user of `--user` that was typed before it.
    var user: String?

    /// Notes an option that selects the machine or user of the command line.
    mutating func note(_ option: String, _ value: String) {
        switch option {
        case "--root": root = value
        case "--user": user = value
        case "--domain": domain = value
        default: break
        }
    }
}
