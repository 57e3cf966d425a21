import MDEngine
import MDPlatform
import MDPrograms
import MDPropertyList
import MDTools

extension Doctor {
    /// Whether other programs' files are as policy has them, and whether the programs said that they obey; no check where
    /// policy speaks of no such program.
    var programs: [Check] {
        let result: MachinePrograms.Outcome
        do {
            result = try MachinePrograms(machine: session.machine).preview()
        } catch {
            return [
                Check(
                    "programs", false, error.description, remedy: "Run mdefaults policy apply as \(writer).",
                    command: mdefaults("policy", "apply"))
            ]
        }
        guard !result.plan.parts.isEmpty || !result.changes.isEmpty else { return [] }
        let names = result.plan.parts.reduce(into: [String]()) { names, part in
            if names.last != part.program.title { names.append(part.program.title) }
        }
        let rivals = result.findings.count { $0.kind == .rival || $0.kind == .failed }
        let short = result.findings.count { [.unsupported, .firstState].contains($0.kind) }
        let missing = result.findings.filter { $0.kind == .notEnforced }
        let who = names.joined(separator: ", ")
        guard result.changes.isEmpty, rivals == 0 else {
            let files = result.changes.map { Printable.escape(root.display($0.path)) }.joined(separator: ", ")
            return [
                Check(
                    "programs", false,
                    result.changes.isEmpty
                        ? "Foreign files decide what \(who) obey: mdefaults programs status names them."
                        : "Not as policy has it: \(files).",
                    remedy: result.changes.isEmpty ? nil : "Run mdefaults policy apply as \(writer).",
                    command: result.changes.isEmpty ? nil : mdefaults("policy", "apply"))
            ]
        }
        let entries = short == 1 ? "one entry is" : "\(short) entries are"
        var text = "The files of \(who) are as they were written."
        let unseen = result.findings.filter { $0.kind == .unknown }.compactMap(\.path)
        if !unseen.isEmpty {
            let paths = unseen.map { Printable.escape(root.display($0)) }.joined(separator: ", ")
            text += " Of \(paths) this is unknown, because only root can look at it."
        }
        if short > 0 { text += " But \(entries) not enforced in them: mdefaults programs status says which." }
        for finding in missing { text += " \(Doctor.sentence(Printable.escape(finding.message)))" }
        let line = missing.lazy.compactMap(\.remedy).first
        return [
            Check(
                "programs", short == 0 && missing.isEmpty && unseen.isEmpty, text,
                remedy: line.map { "Run \($0) as \(writer)." },
                command: root.isSystem ? line?.split(separator: " ").map(String.init) : nil)
        ] + confirmation(result)
    }

    /// What programs themselves said when they were asked; no check where none is installed that could be.
    private func confirmation(_ result: MachinePrograms.Outcome) -> [Check] {
        let name = "programs-confirm"
        // Programs are asked where they are.
        let command = root.isSystem ? mdefaults("programs", "check") : nil
        let remedy = "Run mdefaults programs check as root\(root.isSystem ? "" : " on the machine itself")."
        if let fault = result.recordFault {
            return [
                Check(
                    name, false, "What programs said of policy is not taken: \(fault).", remedy: remedy,
                    command: command)
            ]
        }
        let asked = zip(result.plan.parts, result.answers).filter { part, _ in
            part.isWritten && !part.policy.isEmpty && part.program.canBeAsked(in: root)
        }
        if asked.isEmpty { return [] }
        let denied = result.findings.filter { $0.kind == .denied }
        if !denied.isEmpty {
            let words = denied.prefix(10).map { finding in
                let key = finding.key.map { "\($0.string): " } ?? ""
                return Doctor.sentence(Printable.escape("\(key)\(finding.message)"))
            }
            let more = denied.count > 10 ? " And \(denied.count - 10) more: mdefaults programs status names them." : ""
            return [
                Check(
                    name, false, words.joined(separator: " ") + more,
                    remedy: "Mend the policy and run mdefaults policy apply as \(writer). \(remedy)")
            ]
        }
        let open = asked.filter { $0.1 == nil }.map(\.0.program.title)
        let titles = open.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
        guard titles.isEmpty else {
            return [
                Check(
                    name, false,
                    "Whether programs obey was not looked at since policy or program changed: "
                        + "\(titles.joined(separator: ", ")).",
                    remedy: remedy, command: command)
            ]
        }
        let unsaid = Set(
            asked.flatMap { part, answers in
                part.policy.entries.lazy.filter {
                    answers?.word(of: $0) == nil && part.program.isMeant($0.key, in: root)
                }.map(\.key)
            })
        return [
            Check(
                name, unsaid.isEmpty,
                unsaid.isEmpty
                    ? "The programs said that they obey, when they were last asked."
                    : "Of \(Plural.count(unsaid.count, "key")) the programs do not say whether they obey: "
                        + unsaid.sorted().prefix(10).map { Printable.escape($0.string) }.joined(separator: ", ")
                        + (unsaid.count > 10 ? " and others." : "."))
        ]
    }
}
