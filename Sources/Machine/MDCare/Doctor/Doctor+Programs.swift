import MDEngine
import MDPlatform
import MDPrograms

extension Doctor {
    /// Whether other programs' files are as policy has them; no check where policy speaks of no such program.
    var programs: [Check] {
        let result: MachinePrograms.Outcome
        do {
            result = try MachinePrograms(machine: session.machine).preview()
        } catch {
            return [Check("programs", false, error.description, remedy: "Run mdefaults policy apply as \(writer).")]
        }
        guard !result.plan.parts.isEmpty || !result.changes.isEmpty else { return [] }
        let names = result.plan.parts.reduce(into: [String]()) { names, part in
            if names.last != part.program.title { names.append(part.program.title) }
        }
        let rivals = result.findings.count { $0.kind == .rival || $0.kind == .failed }
        let short = result.findings.count { $0.kind == .unsupported || $0.kind == .notEnforced }
        let who = names.joined(separator: ", ")
        guard result.changes.isEmpty, rivals == 0 else {
            let files = result.changes.map { Printable.escape(root.display($0.path)) }.joined(separator: ", ")
            return [
                Check(
                    "programs", false,
                    result.changes.isEmpty
                        ? "Foreign files decide what \(who) obey: mdefaults programs status names them."
                        : "Not as policy has it: \(files).",
                    remedy: result.changes.isEmpty ? nil : "Run mdefaults policy apply as \(writer).")
            ]
        }
        let entries = short == 1 ? "one entry is" : "\(short) entries are"
        let rest = short == 0 ? "" : " But \(entries) not enforced in them: mdefaults programs status says which."
        return [Check("programs", short == 0, "The files of \(who) are as they were written.\(rest)")]
    }
}
