import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// `policy rollback`: puts the files of a generation back in place.
enum PolicyRollbackVerb: Verb {
    static let name = ["policy", "rollback"]
    static let summary = "put the policy files of a generation back in place"
    static let usage = ["policy rollback [GENERATION] [--dry-run] [--yes] [--keep N] [--json]"]
    static let help = """
        Writes the files of a generation back into /etc/managed-defaults/policies.d and applies them; without GENERATION
        those of the one before the one that is in place, so that each further rollback goes one further back. Where
        something was edited since the last apply, or the directory is gone, it is the last generation. policy history lists the numbers; with the
        number that the answer names, another rollback undoes this one.

        What it changes for every user is shown first, as policy diff does, and asked whether to go on.
        The new directory is built beside the old one, and one exchange (renameat2) puts it in place, so that every reader
        sees one or the other. What lies there is kept as a generation first, if it is none yet, and the audit log gets a
        record; where one of these fails, nothing is done. A rollback that is killed has changed nothing, or the directory
        as a whole, which the next policy apply then records. What it removes leaves the record with it; where that cannot
        be written, the answer says removed, in force until policy apply.

        Policy files, their signatures (.sig) and links that switch files off are put back or removed. Other files and
        links stay: a file is linked into the new directory, a link is made again. Nothing is done where policies.d is a
        link or a mount point, where it holds a folder, fifo, socket or device, on a file system that cannot exchange
        directories, and where somebody writes in the directory meanwhile. Policy files are 0644 afterwards, the directory
        0755. A file that could not be used then is put back as it was, and its last good version of then stands in for it;
        one that was not trusted comes back as its last good version. A link to a policy file elsewhere stays a link while
        its target has the right content, else becomes a file.

        --dry-run   show what it would change, and write nothing
        --yes       do not ask; needed where nobody could answer

        JSON: with --dry-run {"dryRun":true,"target","groups":[…]}, as policy diff has them; else as policy install, with "target",
        the generation that is in place again, and "saved", the one that was made
        of what lay there before, where it had not been kept yet. "was" is the generation that was in place before, and
        "generation" the rollback itself.

        exit codes: 0 done; 1 there is no such generation, a file has errors, or nobody agreed; 2 wrong command line; 4 could not be
        done, or is done and could not be recorded.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let (isDryRun, isAgreed) = (arguments.flag("--dry-run"), arguments.flag("--yes"))
        let limit = try PolicyWriting.retainedGenerations(&arguments)
        let number = try arguments.next().map { word throws(Failure) in try PolicyWriting.generation(word, of: self) }
        try arguments.requireEnd()
        let root = try context.root()
        let store = PolicyStore(root: root)
        if !isDryRun { try PolicyWriting.requirePermission(for: store, to: "roll policy back") }
        let (target, output) = try preview(number, store, context)
        for sentence in output.differences.limits { context.console.say(sentence) }
        if !context.options.json {
            if isDryRun { try context.console.line("Generation \(target) would be in place.") }
            for line in output.lines { try context.console.line(context.console.ink.difference(line)) }
        }
        if isDryRun { return try finishPreview(target, output, context) }
        if !isAgreed {
            try PolicyWriting.requireAgreement(
                "Put generation \(target) in place?", orElse: PolicyRollout.remedy, context, self)
        }
        let recorder = PolicyChangeRecorder(root: root)
        let result: RollbackResult
        do throws(OperationError) {
            result = try store.rollBack(to: target, retaining: limit) { target in
                recorder.recordRollback(to: target.number, digest: target.digest)
            } report: { changes in
                recorder.record(changes)
            }
        } catch {
            throw failure(error, recorder.problem)
        }
        // Writes the compiled table, the files of other programs, and what could not be recorded before.
        var report = ApplyReport(root: root)
        report.add(store.apply(retaining: limit) { recorder.record($0) }, after: result)
        report.differences = output
        let checkpoint = try PolicyWriting.finish(&report, context)
        if !context.options.json {
            if let saved = result.saved {
                try context.console.line("generation \(saved.number) kept of what lay there before")
            }
            let (number, origin) = (result.target.number, result.origin.number)
            let line =
                number == origin
                ? "generation \(number) is in place, as before the rollback that is taken back"
                : "generation \(number) is in place again (was \(origin), which mdefaults policy rollback \(origin) "
                    + "puts back)"
            for line in Layout.fold(line) { try context.console.line(line) }
        }
        return try PolicyWriting.print(report, checkpoint, context)
    }

    /// The failure for a rollback that was not done.
    private static func failure(_ error: OperationError, _ problem: String? = nil) -> Failure {
        let sentence = "\(error.description.prefix(1).uppercased())\(error.description.dropFirst())."
        let message = Printable.escape(sentence + (problem.map { " \($0)" } ?? ""))
        return Failure(code: error.isMissing ? .no : .inputOutput, message: message)
    }

    /// Finds the generation, and what a rollback to it changes.
    private static func preview(
        _ number: Int?, _ store: PolicyStore, _ context: Context
    ) throws(Failure) -> (target: Int, output: GroupedDiffOutput) {
        let machine = try context.machine()
        let target: Int
        do throws(OperationError) { target = try store.rollbackTarget(number).number } catch { throw failure(error) }
        let present = PolicyStore(root: machine.root, accounts: machine.accounts).load()
        let after: PolicySet
        do throws(StoredFileError) {
            after = try PolicySet.ofGeneration(
                target, beside: present, root: machine.root, accounts: machine.accounts)
        } catch {
            throw Failure(code: .inputOutput, message: "\(Printable.escape("\(error)")).")
        }
        let pair = PolicyPair(present, after, roots: (machine.root, machine.root), machine: machine)
        return (target, GroupedDiffOutput(GroupedDifferences(pair, of: machine), pair.output))
    }

    /// Ends a dry run.
    private static func finishPreview(
        _ target: Int, _ output: GroupedDiffOutput, _ context: Context
    ) throws(Failure) -> ExitCode {
        guard context.options.json else {
            try context.console.line("nothing was written")
            return .success
        }
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.field("dryRun", true)
        json.field("target", target)
        json.member("groups")
        json.beginArray()
        output.write(to: &json)
        json.endArray()
        json.endObject()
        try context.print(json)
        return .success
    }
}
