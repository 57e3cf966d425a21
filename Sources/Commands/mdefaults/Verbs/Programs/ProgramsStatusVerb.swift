import MDCare
import MDEngine
import MDPlatform
import MDPrograms
import MDPropertyList
import MDReport

/// `programs status`: what of policy is written for which program, and what is not.
enum ProgramsStatusVerb: Verb {
    static let name = ["programs", "status"]
    static var accepts: GlobalOptions.Kinds { .question }
    static let summary = "say what of policy is written for which program"
    static let usage = ["programs status [--json]"]
    static let help = """
        For each program that policy speaks of: what its users can do to get around it (limit), for whom how many entries
        are written, into which files, and if these are as they were written; and what the program itself said of them in the
        last programs check of root, as long as neither changed since. Then what the program cannot carry out or denied, what
        is for some users only and does not reach it, foreign files that decide instead, and values of other products that
        policy displaces, each with its place. A program that reads policy only when it starts, and runs since before its
        files were written, is named with its user. With --user only what concerns that user. Nothing is written; policy
        apply does that.

        JSON: {"programs":[{"program","title","installed":bool,"limit","users":[name],"entries":number,"written":bool,
        "asked":time,"confirmed":number,"denied":number,
        "files":[{"path","state":"as written"|"not written yet"|"changed"|"unknown"}]}],
        "restarts":[{"program","uid"}],
        "findings":[{"kind","program","key","message","origin":{"policy","file","line","column"},"path","remedy"}]}
        "users" is missing where it is for everybody; "asked" and the two numbers are there where the program was asked, "key"
        and "origin", or "path", where there is one. "kind" is "not supported", "not known",
        "first state only", "not installed", "not enforced", "denied", "drift", "rival",
        "displaced", "failed" or "unknown": a file that only root can look at, or a key that no package here describes.

        exit codes: 0 everything is written as policy has it; 1 there are findings; 2 wrong command line; 4 could not read.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        try arguments.requireEnd()
        let machine = try context.machine()
        let programs = MachinePrograms(machine: machine)
        let users = context.options.user == nil ? nil : [try context.account()]
        let result: MachinePrograms.Outcome
        do {
            result = try programs.preview(for: users)
        } catch {
            throw Failure(code: .inputOutput, message: error.description)
        }
        if context.options.json {
            try context.print(ProgramsText.document(of: result, in: machine.root))
        } else {
            let lines = ProgramsText.lines(of: result, in: machine.root) { uid in
                machine.accounts.name(of: uid).map { Printable.escape($0) } ?? "uid \(uid)"
            }
            for line in lines { try context.console.line(line) }
        }
        return result.findings.isEmpty && result.changes.isEmpty ? .success : .no
    }
}
