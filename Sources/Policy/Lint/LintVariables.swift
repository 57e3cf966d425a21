import Platform
import PropertyList

/// Finds values with variables that some programs here do not know.
///
/// No program asks a directory service who its user is: for a user whom only that knows, an entry that needs the name or
/// the home forces its key to have no value.
struct LintVariables {
    /// What was found.
    let findings: [Diagnostic]

    /// Looks at the values of files.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - root: the root, whose nsswitch.conf tells of directory services.
    init(files: [LintFile], root: Root) {
        let wanting = files.compactMap { file in
            file.policy.entries.first(where: LintVariables.needsAccount).map { (file, $0) }
        }
        guard !wanting.isEmpty, let service = NameServices(root: root).directories.first else {
            findings = []
            return
        }
        findings = wanting.map { file, entry in
            Diagnostic(
                file: file.shownPath, position: entry.origin.position, severity: .warning, code: .unknownVariable,
                message:
                    "programs of a user whom only the directory service (\(Printable.escape(service)) in nsswitch.conf)"
                    + " knows cannot tell ${user} and ${home}, so this key has no value for them")
        }
    }

    /// Whether a value has a variable that only the user database tells.
    private static func needsAccount(_ entry: PolicyEntry) -> Bool {
        guard entry.hasVariables, let value = entry.value?.value else { return false }
        return strings(of: value).contains { text in
            (try? Template(text))?.contains { $0 == .user || $0 == .home } ?? false
        }
    }

    /// The strings in a value, however deep they stand.
    private static func strings(of value: Value) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(strings)
        case .dictionary(let entries): entries.values.flatMap(strings)
        default: []
        }
    }
}
