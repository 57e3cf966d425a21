import MDCare
import MDEngine
import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPrograms
import MDPropertyList
import MDReport
import MDTools

/// What is printed about other programs' policy.
enum ProgramsText {
    /// A finding as a sentence with its place.
    static func sentence(_ finding: ProgramFinding, in root: Root) -> String {
        let key = finding.key.map { " \($0.string)" } ?? ""
        let text = "\(finding.program)\(key): \(finding.message)"
        let place: String
        if let origin = finding.origin {
            place =
                Origin(policy: origin.policy, file: root.display(origin.file), position: origin.position).description
        } else {
            place = finding.path.map { root.display($0) } ?? ""
        }
        return Printable.escape(place.isEmpty ? "\(text)." : "\(place): \(text) [\(finding.kind.rawValue)]")
    }

    /// The state of a file: as it was written, or not.
    private static func state(of path: String, in result: MachinePrograms.Outcome) -> String {
        if result.isUnseen(path) { return "unknown" }
        guard let change = result.changes.first(where: { Key($0.path) == Key(path) }) else { return "as written" }
        return change.before == nil ? "not written yet" : "changed"
    }

    /// The lines about the instances of a part's users.
    private static func instances(
        of part: ProgramsPlan.Part, in result: MachinePrograms.Outcome, _ root: Root
    ) -> [String] {
        guard part.isWritten, part.program.hasInstances else { return [] }
        let isSeen = CurrentProcess.uid == root.owner
        return part.audiences.compactMap { $0.user?.name }.map { user in
            let instance = result.instances.first {
                Key($0.program) == Key(part.program.name) && Key($0.user) == Key(user)
            }
            guard let instance else {
                let when = isSeen ? "from the next login on" : "which only root sees"
                return "    \(Printable.escape(user)): own instance, \(when)"
            }
            let state = instance.isCurrent ? "as policy has it" : "not written yet"
            return "    \(Printable.escape(user)): own instance, \(state)"
        }
    }

    /// What a program said of a policy, as a clause.
    private static func testimony(_ answers: TestimonyRecord.Answers?, of policy: ProgramPolicy) -> String {
        guard let answers else { return "written, and not looked at whether it obeys" }
        let (confirmed, denied) = answers.counts(of: policy)
        let rest = policy.entries.count - confirmed - denied
        return "asked on \(answers.time.rfc3339): \(confirmed) confirmed, \(denied) denied"
            + (rest == 0 ? "" : ", \(rest) not said")
    }

    /// The paths of the files of a part.
    private static func paths(of part: ProgramsPlan.Part, in result: MachinePrograms.Outcome) -> [String] {
        part.isWritten ? part.files.map(\.path) : []
    }

    /// The lines of `programs status`.
    ///
    /// - Parameters:
    ///   - result: the state of programs' files.
    ///   - root: the machine.
    ///   - names: the name of a user.
    /// - Returns: the lines.
    static func lines(
        of result: MachinePrograms.Outcome, in root: Root, naming names: (UInt32) -> String
    ) -> [String] {
        var lines: [String] = []
        var last = ""
        for (part, answers) in zip(result.plan.parts, result.answers) {
            if part.program.name != last {
                let installed = part.program.isInstalled(in: root) ? "" : " (not installed)"
                lines.append("\(part.program.title)\(installed)")
                let weakness = part.program.weakness
                if !weakness.isEmpty, installed.isEmpty { lines += Layout.wrap("limit: \(weakness)", indent: 2) }
                last = part.program.name
            }
            let count = part.policy.entries.count
            let names = part.audiences.compactMap { $0.user?.name }.map(Printable.escape)
            let users = names.isEmpty ? "everybody" : names.joined(separator: ", ")
            let entries = "\(count) \(count == 1 ? "entry" : "entries")"
            var note = ""
            if !part.isWritten {
                let missing = part.missing.count
                note = ", \(missing == count ? "" : "\(missing) of them ")not enforced in this program"
            } else if part.files.contains(where: { result.isUnseen($0.path) }) {
                note = ", and only root sees whether they are written"
            } else if part.program.isInstalled(in: root), count > 0 {
                note = ", \(testimony(answers, of: part.policy))"
            }
            lines += Layout.wrap("for \(users): \(entries)\(note)", indent: 2)
            for path in paths(of: part, in: result) {
                lines += Layout.beside(
                    "    \(Printable.escape(root.display(path)))", state(of: path, in: result), indent: 6)
            }
            lines += instances(of: part, in: result, root).flatMap { Layout.fold($0, indent: 2) }
        }
        for restart in result.restarts {
            let title = ProgramCatalog.program(named: restart.program)?.title ?? restart.program
            lines += Layout.wrap(
                "\(title) has to be started anew by \(names(restart.uid)): it reads policy only when it starts.",
                indent: 0)
        }
        if !lines.isEmpty, root.isSystem, !GenerationFile.isHeld(root: root) {
            lines += Layout.wrap(
                "The audit service does not run: what changes is written by policy apply, which the timer of the package"
                    + " runs every five minutes.", indent: 0)
        }
        if lines.isEmpty { lines.append("Policy says nothing that another program reads.") }
        let findings = result.findings.filter { $0.kind != .drift } + result.findings.filter { $0.kind == .drift }
        if !findings.isEmpty { lines += ["", "findings:"] }
        for finding in findings { lines += Layout.wrap(sentence(finding, in: root), indent: 2) }
        return lines
    }

    /// The users with policy that programs read.
    static func users(of programs: [any Program], in machine: PolicyInForce) -> [String] {
        let known = MachinePrograms(machine: machine)
        let names = Set(programs.map { Key($0.name) })
        let parts = known.plan(for: known.people).parts.filter {
            names.contains(Key($0.program.name)) && !$0.policy.entries.isEmpty
        }
        return Set(parts.flatMap { $0.audiences.compactMap { $0.user.map { Key($0.name) } } }).sorted().map(\.string)
    }

    /// Says that policy says nothing.
    ///
    /// - Parameters:
    ///   - program: the programs, as the subject of a sentence.
    ///   - account: the user that the question was about; `nil` for everybody.
    ///   - others: the users with policy that the program reads.
    /// - Returns: a sentence.
    static func nothing(that program: String, reads account: Account?, butFor others: [String]) -> String {
        let whom = account.map { Printable.escape($0.name) }
        if others.isEmpty { return "Policy says nothing\(whom.map { " for \($0)" } ?? "") that \(program) reads." }
        let names = others.map(Printable.escape).joined(separator: ", ")
        return "Policy says nothing for everybody that \(program) reads, only for \(names): name one with --user."
    }

    /// The JSON of `programs status`.
    static func document(of result: MachinePrograms.Outcome, in root: Root) -> JSONWriter {
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.member("programs")
        json.beginArray()
        for (part, answers) in zip(result.plan.parts, result.answers) {
            json.beginObject()
            json.field("program", part.program.name)
            json.field("title", part.program.title)
            json.field("installed", part.program.isInstalled(in: root))
            json.field("limit", part.program.weakness.isEmpty ? nil : part.program.weakness)
            let names = part.audiences.compactMap { $0.user?.name }
            if !names.isEmpty {
                json.member("users")
                json.beginArray()
                for name in names { json.string(name) }
                json.endArray()
            }
            json.field("entries", part.policy.entries.count)
            json.field("written", part.isWritten)
            if let answers {
                let (confirmed, denied) = answers.counts(of: part.policy)
                json.field("asked", answers.time.rfc3339)
                json.field("confirmed", confirmed)
                json.field("denied", denied)
            }
            json.member("files")
            json.beginArray()
            for path in paths(of: part, in: result) {
                json.beginObject()
                json.field("path", root.display(path))
                json.field("state", state(of: path, in: result))
                json.endObject()
            }
            json.endArray()
            json.endObject()
        }
        json.endArray()
        json.member("restarts")
        json.beginArray()
        for restart in result.restarts {
            json.beginObject()
            json.field("program", restart.program)
            json.field("uid", Int(restart.uid))
            json.endObject()
        }
        json.endArray()
        json.programFindings(result.findings, in: root)
        json.endObject()
        return json
    }

    /// The difference that a change makes to a file, line by line: removed lines, then new ones.
    ///
    /// - Parameters:
    ///   - change: the change.
    ///   - isSensitive: whether values must not be printed.
    /// - Returns: the lines.
    static func difference(_ change: ProgramWriter.Change, isSensitive: Bool) -> [String] {
        if isSensitive { return ["    (sensitive)"] }
        func lines(_ bytes: [UInt8]?) -> [String] {
            let bytes = bytes ?? []
            let text = GSettings.text(of: bytes) ?? String(decoding: bytes, as: UTF8.self)
            return text.split(separator: "\n").map(String.init)
        }
        let (before, after) = (lines(change.before), lines(change.after))
        let difference = after.difference(from: before) { Key($0) == Key($1) }
        let removed = difference.removals.map { "    - \(Printable.escape(text(of: $0)))" }
        return removed + difference.insertions.map { "    + \(Printable.escape(text(of: $0)))" }
    }

    private static func text(of change: CollectionDifference<String>.Change) -> String {
        switch change {
        case .insert(_, let line, _), .remove(_, let line, _): line
        }
    }
}

extension JSONWriter {
    /// Writes the member `findings`.
    mutating func programFindings(_ findings: [ProgramFinding], in root: Root) {
        member("findings")
        beginArray()
        for finding in findings {
            beginObject()
            field("kind", finding.kind.rawValue)
            field("program", finding.program)
            field("key", finding.key?.string)
            field("message", finding.message)
            if let origin = finding.origin { self.origin(origin, in: root) }
            field("path", finding.path.map { root.display($0) })
            field("remedy", finding.remedy)
            endObject()
        }
        endArray()
    }
}
