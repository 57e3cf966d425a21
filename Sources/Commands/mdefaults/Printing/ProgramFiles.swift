import MDCare
import MDPlatform
import MDPrograms
import MDPropertyList
import MDReport

/// What a verb that changes policy wrote or would write into other programs' files.
struct ProgramFiles {
    /// The machine.
    let root: Root
    /// Whether nothing was written.
    let isPreview: Bool
    /// What was done, or why nothing could be.
    let result: Result<MachinePrograms.Outcome, ProgramsError>

    /// What was done; `nil` if nothing could be.
    var outcome: MachinePrograms.Outcome? { try? result.get() }

    /// Whether a file changed or would.
    var isChanged: Bool { outcome.map { !$0.changes.isEmpty } ?? false }

    /// Whether something could not be written.
    var isUnfinished: Bool { outcome.map(\.isUnfinished) ?? true }

    /// A line for each file, and in a dry run its difference.
    var lines: [String] {
        guard let outcome else { return [] }
        return outcome.changes.flatMap { change in
            let line = Printable.escape("\(root.display(change.path)): \(change.program): \(change.note)")
            guard isPreview else { return [line] }
            let isSensitive = outcome.plan.parts.contains { part in
                part.program.name == change.program && part.policy.entries.contains(where: \.isSensitive)
            }
            return [line] + ProgramsText.difference(change, isSensitive: isSensitive)
        }
    }

    /// The sentences about drift, foreign files and failures, and how much of policy programs cannot carry out.
    var notes: [String] {
        let outcome: MachinePrograms.Outcome
        switch result {
        case .success(let done): outcome = done
        case .failure(let error): return [error.description]
        }
        let (short, long) = outcome.findings.reduce(into: (0, [ProgramFinding]())) { result, finding in
            switch finding.kind {
            case .unsupported, .firstState, .notKnown, .denied: result.0 += 1
            case .idle, .unknown: break
            case .notEnforced, .drift, .rival, .displaced, .failed: result.1.append(finding)
            }
        }
        let sentences = long.map { ProgramsText.sentence($0, in: root) }
        if short == 0 { return sentences }
        let what = short == 1 ? "One entry is" : "\(short) entries are"
        return sentences + ["\(what) not enforced in other programs as written; mdefaults programs status says which."]
    }

    /// The commands that mend what is not in force in programs.
    var remedies: [String] { outcome?.findings.compactMap(\.remedy) ?? [] }

    /// Writes the member `programs`, if policy speaks of any.
    func write(to json: inout JSONWriter) {
        guard let outcome, !outcome.plan.parts.isEmpty || !outcome.changes.isEmpty else { return }
        json.member("programs")
        json.beginObject()
        json.member("changes")
        json.beginArray()
        for change in outcome.changes {
            json.beginObject()
            json.field("program", change.program)
            json.field("file", root.display(change.path))
            json.field("change", change.note)
            json.endObject()
        }
        json.endArray()
        json.programFindings(outcome.findings, in: root)
        json.endObject()
    }
}
