import MDCompliance
import MDPlatform
import MDPrograms
import MDPropertyList

/// What `policy apply` says of other programs' files.
extension ApplyReport {
    /// A line for each file, and in a dry run its difference.
    var programLines: [String] {
        guard let programs else { return [] }
        return programs.changes.flatMap { change in
            let line = Printable.escape("\(root.display(change.path)): \(change.program): \(change.note)")
            guard isDryRun else { return [line] }
            let isSensitive = programs.plan.parts.contains { part in
                part.program.name == change.program && part.policy.entries.contains(where: \.isSensitive)
            }
            return [line] + ProgramsText.difference(change, isSensitive: isSensitive)
        }
    }

    /// The sentences about drift, foreign files and failures, and how much of policy programs cannot carry out.
    var programNotes: [String] {
        if let programsFailure { return [programsFailure] }
        guard let programs else { return [] }
        let (short, long) = programs.findings.reduce(into: (0, [ProgramFinding]())) { result, finding in
            switch finding.kind {
            case .unsupported, .notEnforced: result.0 += 1
            case .drift, .rival, .failed: result.1.append(finding)
            }
        }
        let sentences = long.map { ProgramsText.sentence($0, in: root) }
        if short == 0 { return sentences }
        let what = short == 1 ? "One entry is" : "\(short) entries are"
        return sentences + ["\(what) not enforced in other programs as written; mdefaults programs status says which."]
    }

    /// Writes the member about other programs' files, if policy speaks of any.
    func writePrograms(to json: inout JSONWriter) {
        guard let programs, !programs.plan.parts.isEmpty || !programs.changes.isEmpty else { return }
        json.member("programs")
        json.beginObject()
        json.member("changes")
        json.beginArray()
        for change in programs.changes {
            json.beginObject()
            json.field("program", change.program)
            json.field("file", root.display(change.path))
            json.field("change", change.note)
            json.endObject()
        }
        json.endArray()
        json.programFindings(programs.findings, in: root)
        json.endObject()
    }
}
