import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore

/// The list of all verbs, and the search for the one that a command line names.
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
            WatchVerb.self,
            ImportVerb.self,
            ExportVerb.self,
            ForcedVerb.self,
            ExplainVerb.self,
            PolicyLintVerb.self,
            PolicyListVerb.self,
            PolicyShowVerb.self,
            PolicyConvertVerb.self,
            PolicyDiffVerb.self,
            PolicyInstallVerb.self,
            PolicyNewVerb.self,
            PolicyEditVerb.self,
            PolicySchemaVerb.self,
            PolicyDigestVerb.self,
            PolicyApplyVerb.self,
            PolicyHistoryVerb.self,
            PolicyRollbackVerb.self,
            PolicyForgetVerb.self,
            PolicyFactsVerb.self,
            PolicyGrantVerb.self,
            PolicyExamVerb.self,
            PolicyDelegatesVerb.self,
            AuditListVerb.self,
            AuditTailVerb.self,
            AuditCountVerb.self,
            AuditExportVerb.self,
            AuditScanVerb.self,
            AuditRevealVerb.self,
            AuditVerifyVerb.self,
            AuditCheckpointVerb.self,
            AuditProveVerb.self,
            AuditConsistencyVerb.self,
            ProgramsListVerb.self,
            ProgramsStatusVerb.self,
            ProgramsShowVerb.self,
            ProgramsCheckVerb.self,
            ProgramsEnableVerb.self,
            ProgramsDisableVerb.self,
            ProgramsPrepareVerb.self,
            ReportMergeVerb.self,
            ReportVerb.self,
            FleetDemoVerb.self,
            FleetInitVerb.self,
            FleetEnrollVerb.self,
            FleetRevokeVerb.self,
            FleetStatusVerb.self,
            FleetPageVerb.self,
            DoctorVerb.self,
            FleetPublishVerb.self,
            FleetRunVerb.self,
            FleetCollectVerb.self,
            FleetAcceptVerb.self,
            PrepareImageVerb.self,
            DemoVerb.self,
            HelpVerb.self,
            CompletionsVerb.self,
            VersionVerb.self,
        ]
    }

    /// Finds the verb that a command line begins with, and consumes its name.
    ///
    /// - Parameter arguments: the command line behind the options; as with Apple's tool, the case of letters is ignored.
    /// - Returns: the verb; `nil` if no verb has this name.
    static func parse(_ arguments: inout ArraySlice<String>) -> (any Verb.Type)? {
        if let verb = arguments.first.flatMap(frequent) {
            arguments.removeFirst()
            return verb
        }
        return parse(arguments, from: &arguments)
            ?? parse(arguments.prefix(longest).map { $0.lowercased() }, from: &arguments)
    }

    /// The verbs that scripts run most often, found without building the list of all names.
    private static func frequent(_ word: String) -> (any Verb.Type)? {
        switch word {
        case "forced": ForcedVerb.self
        case "read": ReadVerb.self
        case "write": WriteVerb.self
        case "delete": DeleteVerb.self
        case "explain": ExplainVerb.self
        default: nil
        }
    }

    /// The number of arguments in the longest name of a verb.
    private static let longest = 2

    /// Finds the verb whose name `spelled` begins with, and consumes as many arguments.
    private static func parse(
        _ spelled: some Collection<String>, from arguments: inout ArraySlice<String>
    ) -> (any Verb.Type)? {
        for verb in all {
            for name in [verb.name] + verb.aliases where spelled.starts(with: name) {
                arguments = arguments.dropFirst(name.count)
                return verb
            }
        }
        return nil
    }

    /// Finds the verb `help` if a command line is `GROUP --help`, and makes the group its argument.
    static func parseHelp(_ arguments: inout ArraySlice<String>) -> (any Verb.Type)? {
        guard arguments.count == 2, let last = arguments.last, last == "--help" || last == "-h",
            all.contains(where: { $0.name.count > 1 && $0.name.first == arguments.first })
        else { return nil }
        arguments.removeLast()
        return HelpVerb.self
    }

    /// A blank and a sentence with the most similar verb; empty if none is similar.
    private static func suggestion(for word: String, among known: [String], behind first: String? = nil) -> String {
        guard let near = Suggestion.nearest(to: word, among: known) else { return "" }
        // The second word alone is not the name of a verb.
        let whole = first == nil ? all.first { $0.name.count > 1 && $0.name[1] == near }?.name : nil
        let isFirst = all.contains { $0.name.first == near }
        let meant = isFirst ? near : whole?.joined(separator: " ") ?? near
        return " Probably \(first.map { "\($0) " } ?? "")\(meant) is meant."
    }

    /// Words for taking a policy file away, which no verb does.
    private static let removals: Set<String> = ["uninstall", "remove", "rm"]
    /// What to do instead, behind a blank.
    private static let removalHint =
        " To take policy away, remove its file and run policy apply, or policy rollback; policy forget ends what is"
        + " recorded of a directory that is gone."

    /// The failure for a command line that begins with no verb.
    ///
    /// - Parameter arguments: the command line behind the options. If it begins with the first word of verbs of two words,
    ///   the failure has their usage lines.
    /// - Returns: a usage failure.
    static func unknown(_ arguments: ArraySlice<String>) -> Failure {
        let shown = Printable.escape(arguments.prefix(2).joined(separator: " "))
        if arguments.first?.isEmpty == true { return .usage("The verb is empty. mdefaults help lists them.") }
        let group = all.filter { $0.name.count > 1 && $0.name.first == arguments.first }
        guard !group.isEmpty else {
            let word = arguments.first ?? ""
            if removals.contains(word.lowercased()) {
                return .usage("There is no verb \(shown).\(removalHint) mdefaults help lists all verbs.")
            }
            let whole = all.filter { $0.name.count > 1 && $0.name[1] == word.lowercased() }
                .map { $0.name.joined(separator: " ") }
            let hint =
                whole.isEmpty
                ? suggestion(for: word, among: all.map { $0.name.last ?? "" } + all.compactMap { $0.name.first })
                : " Probably \(whole.joined(separator: " or ")) is meant."
            return .usage("There is no verb \(shown).\(hint) mdefaults help lists them.")
        }
        guard let second = arguments.dropFirst().first else {
            return Failure(
                code: .usage, message: "A word is missing behind \(shown).", usage: group.flatMap { $0.usage })
        }
        let removal = removals.contains(second.lowercased()) && arguments.first == "policy" ? removalHint : nil
        let hint = removal ?? suggestion(for: second, among: group.map { $0.name[1] }, behind: arguments.first)
        let near = removal == nil ? Suggestion.nearest(to: second, among: group.map { $0.name[1] }) : nil
        let help = hint.isEmpty ? " mdefaults help \(group[0].name[0]) lists them." : ""
        // The usage of all verbs would push the hint out of sight.
        let usage = group.first { $0.name[1] == near }?.usage ?? []
        return Failure(code: .usage, message: "There is no verb \(shown).\(hint)\(help)", usage: usage)
    }
}
