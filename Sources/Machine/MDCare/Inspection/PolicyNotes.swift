package import MDEngine
import MDPlatform
package import MDPolicyCore
import MDPolicyModel
import MDPropertyList

/// The sentences that every command prints about policy that is not in force as written, and about the clock.
package enum PolicyNotes {
    /// The most files that are named one by one.
    private static let bound = 20

    /// A sentence for each file that is not in force, or only by its last good copy, and for each unusable policy
    /// directory or policy record.
    package static func sentences(about policies: PolicySet) -> [String] {
        let problems = policies.problems.filter { $0.severity == .error }
        let places = Set(problems.map { Key($0.file) })
        // The sentence about a policy directory covers its files and their last good copies.
        let isCovered = { (shown: String) in
            places.contains(Key(shown.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(shown[..<$0]) } ?? shown))
        }
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

    /// One line about everything that is not in force as written: the only sentence, or the number of sentences and the
    /// verb that prints them.
    package static func summary(of policies: PolicySet) -> String? {
        let notes = sentences(about: policies)
        guard notes.count > 1, let first = notes.first else { return notes.first }
        let place = first.utf8.split(separator: UInt8(ascii: " ")).first.map { String(Substring($0)) } ?? ""
        let name = place.utf8.last == UInt8(ascii: ":") ? String(place.dropLast()) : place
        return "Policy is not in force as written in \(notes.count) places, \(name) among them; mdefaults doctor says"
            + " more."
    }

    /// What is wrong with a file, with the place of its first error; `nil` if it is in force as written.
    package static func note(about file: PolicyFileState) -> String? {
        let state: String
        switch file.source {
        case _ where file.unread != nil: state = "T\(file.loss?.dropFirst() ?? "")."
        case _ where file.isLost: state = "The copy of what was in force is lost, so what is forced is unknown."
        case .current: return nil
        case .lastGood: state = "Its last good copy stays in force until the file is mended or removed."
        case .removed: state = "It is not there; what was recorded of it is in force until policy apply."
        case .notRecorded, .none: state = "Nothing of this file is in force, and there is no good copy of it."
        }
        // The finding `notInForce` repeats the state.
        let errors = file.diagnostics.filter { $0.severity == .error && $0.code != LintCode.notInForce.rawValue }
        guard let first = errors.first else {
            return "\(Printable.escape(file.diagnostics.first?.file ?? file.path)): \(state)"
        }
        let more = errors.count > 1 ? " (1 of \(errors.count) errors)" : ""
        return "\(sentence(first))\(more) \(state)"
    }

    /// A finding as a sentence behind its place, `file:line:column`.
    private static func sentence(_ finding: Diagnostic) -> String {
        let place =
            finding.position.isBinary ? "\(finding.file): \(finding.position)" : "\(finding.file):\(finding.position)"
        return Printable.escape("\(place): \(finding.message).")
    }

    /// A sentence about a clock that is earlier than the time floor; `nil` if it is not, or if policy depends on no time.
    package static func clockSentence(_ machine: PolicyInForce) -> String? {
        guard let newest = machine.moment.clockCatchesUp else { return nil }
        return "The clock is earlier than \(Printable.escape(machine.moment.words(for: newest))), when something was "
            + "recorded here: NotBefore counts as reached, waivers and grants as ended. mdefaults doctor says what to do."
    }
}
