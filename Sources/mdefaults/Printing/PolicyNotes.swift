import Platform
import Policy
import PropertyList

/// What every command says about policy that is not in force as it stands.
enum PolicyNotes {
    /// The most files that are named one by one.
    private static let bound = 20

    /// A sentence for each file that is not in force, or only by its last good copy, and for each directory or record
    /// of policy that cannot be used.
    static func sentences(about policies: PolicySet) -> [String] {
        let problems = policies.problems.filter { $0.severity == .error }
        let places = Set(problems.map { Key($0.file) })
        // What is said of a directory need not be said of each of its files, whose last good copies it speaks of.
        let isCovered = { (shown: String) in places.contains(Key(CallerPath.split(shown).folder)) }
        var notes = problems.filter { !isCovered($0.file) }.map { sentence($0) }
        for file in policies.files {
            if file.isStandIn, let first = file.diagnostics.first, isCovered(first.file) { continue }
            if let note = note(about: file) { notes.append(note) }
        }
        guard notes.count > bound else { return notes }
        return notes.prefix(bound) + [
            "\(notes.count - bound) more policy files are not in force as they stand."
        ]
    }

    /// What is wrong with a file, with the place of its first mistake; `nil` where it is in force as it stands.
    static func note(about file: LoadedFile) -> String? {
        let state: String
        switch file.source {
        case _ where file.isLost: state = "The copy of what was in force is lost, so what is forced is unknown."
        case .current: return nil
        case .lastGood: state = "Its last good copy stays in force until the file is mended or removed."
        case .removed: state = "It is not there; what was recorded of it is in force until policy apply."
        case .notRecorded, .none: state = "Nothing of this file is in force, and there is no good copy of it."
        }
        // The finding that says what is in force is the state, in other words.
        let mistakes = file.diagnostics.filter { $0.severity == .error && $0.code != LintCode.notInForce.rawValue }
        guard let first = mistakes.first else {
            return "\(Printable.escape(file.diagnostics.first?.file ?? file.path)): \(state)"
        }
        let more = mistakes.count > 1 ? " (1 of \(mistakes.count) errors)" : ""
        return "\(sentence(first))\(more) \(state)"
    }

    /// A finding as a sentence behind its place, `file:line:column`.
    static func sentence(_ finding: Diagnostic) -> String {
        let place =
            finding.position.isBinary ? "\(finding.file): \(finding.position)" : "\(finding.file):\(finding.position)"
        return Printable.escape("\(place): \(finding.message).")
    }
}
