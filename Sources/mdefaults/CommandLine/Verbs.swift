import Platform
import Policy

/// All verbs, in the order of `help`.
enum Verbs {
    /// All verbs, in the order of `help`.
    static var all: [any Verb.Type] {
        [
            ReadVerb.self,
            ReadTypeVerb.self,
            WriteVerb.self,
            DeleteVerb.self,
            RenameVerb.self,
            DomainsVerb.self,
            FindVerb.self,
            ImportVerb.self,
            ExportVerb.self,
            ForcedVerb.self,
            ExplainVerb.self,
            PolicyLintVerb.self,
            PolicyListVerb.self,
            PolicyShowVerb.self,
            PolicyConvertVerb.self,
            PolicyDiffVerb.self,
            PolicyDigestVerb.self,
            PolicyApplyVerb.self,
            PolicyHistoryVerb.self,
            PolicyRollbackVerb.self,
            PolicyForgetVerb.self,
            PolicyFactsVerb.self,
            PolicyGrantVerb.self,
            PolicyExamVerb.self,
            AuditListVerb.self,
            AuditVerifyVerb.self,
            ReportVerb.self,
            DoctorVerb.self,
            HelpVerb.self,
            VersionVerb.self,
        ]
    }

    /// Finds the verb that a command line begins with and takes its words.
    ///
    /// - Parameter words: the command line behind the options; as with Apple's tool, letters count in either case.
    /// - Returns: the verb; `nil` where no verb has this name.
    static func take(from words: inout ArraySlice<String>) -> (any Verb.Type)? {
        if let verb = words.first.flatMap(plain) {
            words.removeFirst()
            return verb
        }
        return take(words, from: &words) ?? take(words.prefix(longest).map { $0.lowercased() }, from: &words)
    }

    /// The verbs that scripts ask again and again, found without the names of all others.
    private static func plain(_ word: String) -> (any Verb.Type)? {
        switch word {
        case "forced": ForcedVerb.self
        case "read": ReadVerb.self
        case "write": WriteVerb.self
        case "delete": DeleteVerb.self
        case "explain": ExplainVerb.self
        default: nil
        }
    }

    /// The most words of a verb's name.
    private static let longest = 2

    /// Finds the verb whose name the given words begin with, and takes as many from the command line.
    private static func take(
        _ spelled: some Collection<String>, from words: inout ArraySlice<String>
    ) -> (any Verb.Type)? {
        for verb in all {
            for name in [verb.name] + verb.aliases where spelled.starts(with: name) {
                words = words.dropFirst(name.count)
                return verb
            }
        }
        return nil
    }

    /// Whether a command line asks for the help of all verbs that begin with one word, and takes it for that of `help`.
    static func takeHelp(from words: inout ArraySlice<String>) -> (any Verb.Type)? {
        guard words.count == 2, let last = words.last, last == "--help" || last == "-h",
            all.contains(where: { $0.name.count > 1 && $0.name.first == words.first })
        else { return nil }
        words.removeLast()
        return HelpVerb.self
    }

    /// A sentence with the verb that was probably meant, behind a blank; empty where none is near.
    private static func suggestion(for word: String, among known: [String], behind first: String? = nil) -> String {
        guard let near = Suggestion.nearest(to: word, among: known) else { return "" }
        return " Probably \(first.map { "\($0) " } ?? "")\(near) is meant."
    }

    /// The failure of a command line that begins with no verb.
    ///
    /// - Parameter words: the command line behind the options; where it begins as verbs of two words do, their usage
    ///   lines help.
    /// - Returns: a usage failure.
    static func unknown(_ words: ArraySlice<String>) -> Failure {
        let shown = Printable.escape(words.prefix(2).joined(separator: " "))
        if words.first?.isEmpty == true { return .usage("The verb is empty. mdefaults help lists them.") }
        let group = all.filter { $0.name.count > 1 && $0.name.first == words.first }
        guard !group.isEmpty else {
            let hint = suggestion(for: words.first ?? "", among: all.compactMap { $0.name.first })
            return .usage("There is no verb \(shown).\(hint) mdefaults help lists them.")
        }
        let second = words.dropFirst().first ?? ""
        let hint = suggestion(for: second, among: group.map { $0.name[1] }, behind: words.first)
        let what = words.count == 1 ? "A word is missing behind \(shown)." : "There is no verb \(shown).\(hint)"
        return Failure(code: .usage, message: what, usage: group.flatMap { $0.usage })
    }
}
