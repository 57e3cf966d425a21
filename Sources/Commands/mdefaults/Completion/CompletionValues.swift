import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyStore
import MDPreferences
import MDPrograms
import MDPropertyList

/// Finds what can stand for an operand of a verb, or as the value of an option, on the machine that is asked about.
///
/// What cannot be read is left out: a shell has no place for a message.
struct CompletionValues {
    /// Standard output and error.
    let console: Console
    /// All verbs.
    let verbs: [any Verb.Type]

    /// The operands that are names of files or folders.
    private static let files: Set = ["FILE", "FOLDER", "DIR", "KEYFILE", "CHECKPOINT", "A", "B", "FACTS-FOLDER"]

    /// What can stand in a place.
    func answer(_ place: CompletionPlace) -> CommandLineCompletion.Answer {
        var answer = CommandLineCompletion.Answer()
        for name in place.name.split(separator: "|").map(String.init) {
            if CompletionValues.files.contains(name) {
                answer.takesFiles = true
            } else if name.utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }) {
                answer.candidates.append(CommandLineCompletion.Candidate(text: name))
            } else {
                answer.add(CommandLineCompletion.Answer(candidates: candidates(name, place)))
                // A consistency proof leads from one file to another.
                if ["OLD", "NEW"].contains(name), place.verb.first == "audit" { answer.takesFiles = true }
            }
        }
        // A word that a terminal or a shell could take for something else is not offered.
        answer.candidates = answer.candidates.filter { candidate in
            !candidate.text.isEmpty && !candidate.text.unicodeScalars.contains(where: Printable.isHidden)
        }
        return answer
    }

    /// The words that can replace a name of a usage line.
    private func candidates(_ name: String, _ place: CompletionPlace) -> [CommandLineCompletion.Candidate] {
        let words: [String]
        switch name {
        case "DOMAIN": words = domains(place)
        case "KEY", "OLD": words = place.domain.map { keys(of: $0, place) } ?? []
        case "NAME":
            switch place.option {
            case "--user": words = users(place)
            case "--domain": words = domains(place)
            case nil where place.verb == ["policy", "edit"]: words = policyFiles(place)
            default: words = []
            }
        case "SET": words = root(place).map(ExamSet.names) ?? []
        case "GENERATION":
            words = root(place).map { GenerationStore(root: $0).numbers.reversed().map(String.init) } ?? []
        case "PROGRAM":
            return ProgramCatalog.all.map { CommandLineCompletion.Candidate(text: $0.name, note: $0.title) }
        case "SHELL": words = CompletionScript.allCases.map(\.rawValue)
        case "VERB": words = unique(verbs.map { $0.name[0] })
        case "KIND":
            guard place.verb.first == "audit" else { return [] }
            words = ["override", "policy", "grant", "damaged", "drop", "start", "stop", "recover", "gap"]
        default: words = []
        }
        return words.map { CommandLineCompletion.Candidate(text: $0) }
    }

    /// The folder of `--root`, or this machine's.
    private func root(_ place: CompletionPlace) -> Root? { try? context(place).root() }

    /// The machine and the user that the command line is about.
    private func context(_ place: CompletionPlace) -> Context {
        var options = GlobalOptions()
        (options.root, options.user) = (place.root, place.user)
        return Context(options: options, console: console)
    }

    /// The names of the administrator's policy files.
    private func policyFiles(_ place: CompletionPlace) -> [String] {
        let names = (try? root(place)?.names(in: "/etc/managed-defaults/policies.d")) ?? []
        return names.filter(TemporaryPolicy.isPolicyFile)
    }

    /// The users of the machine that are people.
    private func users(_ place: CompletionPlace) -> [String] {
        var place = place
        place.user = nil
        return ((try? context(place).machine(saying: false).people) ?? []).map(\.name)
    }

    /// The domains that policy, a manifest or a stored file knows.
    private func domains(_ place: CompletionPlace) -> [String] {
        let context = context(place)
        guard let machine = try? context.machine(saying: false) else { return [] }
        var known: Set<Key> = [DomainName.global]
        known.formUnion(ManifestSet(root: machine.root).manifests.map(\.domain))
        if let account = try? context.account() {
            let resultant = machine.resultant(for: account)
            known.formUnion(resultant.entries.map(\.domain))
            known.formUnion(resultant.constraints.keys)
            let stored = read(account, context) { session throws(Failure) in
                try DomainReader(session, scope: .anyHost).domains()
            }
            known.formUnion(stored)
        }
        return known.sorted().map(\.string)
    }

    /// The keys that policy, a manifest or a stored file knows in a domain.
    private func keys(of word: String, _ place: CompletionPlace) -> [String] {
        let context = context(place)
        guard let machine = try? context.machine(saying: false) else { return [] }
        let domain = (try? context.domain(of: word)) ?? DomainNotation.domain(word)
        var known: Set<Key> = []
        for manifest in ManifestSet(root: machine.root, of: [domain]).manifests { known.formUnion(manifest.keys.keys) }
        if let account = try? context.account() {
            let resultant = machine.resultant(for: account)
            known.formUnion(resultant.entries { $0 == domain }.map(\.key))
            known.formUnion(resultant.constraints[domain].map { Array($0.keys) } ?? [])
            let stored = read(account, context) { session throws(Failure) in
                DomainReader(session, scope: .anyHost).values(of: domain).values.map { Array($0.keys) } ?? []
            }
            known.formUnion(stored)
        }
        return known.sorted().map(\.string)
    }

    /// Reads names of a user's files, with that user's rights.
    private func read(
        _ account: Account, _ context: Context, _ body: (UserSession) throws(Failure) -> [Key]
    ) -> [Key] {
        do throws(Failure) {
            let outcome = try context.run(as: account, requiresKnownPolicy: false) { session throws(Failure) in
                let names = try body(session).map(\.string)
                // A name has no line feed where it is offered.
                return Context.Outcome(code: .success, bytes: Array(names.joined(separator: "\n").utf8))
            }
            return outcome.bytes.split(separator: UInt8(ascii: "\n")).map { Key(String(decoding: $0, as: UTF8.self)) }
        } catch {
            return []
        }
    }

    /// The same words, each once.
    private func unique(_ words: [String]) -> [String] {
        words.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
