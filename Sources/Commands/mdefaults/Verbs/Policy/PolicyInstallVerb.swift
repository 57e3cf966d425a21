import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDReport
import MDTools

/// `policy install`: makes the policy directory what a folder is, or puts single files into it.
enum PolicyInstallVerb: Verb {
    static let name = ["policy", "install"]
    static let summary = "check policy files, show what they change, put them in place"
    static let usage = [
        "policy install FOLDER|FILE… [--reason TEXT] [--dry-run] [--yes]", "  [--keep N] [--json]",
        "policy install - --as NAME [--if-unchanged DIGEST|none]",
        "  [--reason TEXT] [--dry-run] [--yes] [--keep N] [--json]",
    ]
    static let help = """
        With FOLDER, /etc/managed-defaults/policies.d becomes what FOLDER is: policy files, their signatures (.sig) and
        links to /dev/null; a policy file of another name goes. Where FOLDER has no policy file, policies.d in it is meant,
        as in a checkout. With FILE, these names alone are put in place, and all others stay. Other files of the directory,
        a README for example, stay in either case. A link in FOLDER that leads out of it is refused; a FILE that is a link
        is read, for the command line names it.

        With -, standard input is put in place as the file NAME.

        First the files are checked as they will stand on this machine; with an error in one of them nothing is done. Then
        what changes for every user is shown, those with equal differences together, then whose files these are if not
        root's or the caller's, and which of them not every user can read yet, and asked whether to go on. The new
        directory is built beside the old one, and one exchange (renameat2) puts it in place, so that every reader sees one
        or the other. What lay there before is a generation, and so is what lies there now, with who did it and why; the
        audit log has a record before anything changes. policy apply is part of this verb. policy rollback undoes it. If
        something keeps policy from programs, the last line is the command that mends it.

        --reason TEXT   why; it stands in policy history and in the audit log
        --dry-run       check and show, and write nothing
        --yes           do not ask; needed where nobody could answer
        --keep N        how many generations stay, from 1 to 1000; 20 without it
        --as NAME       the name of the file that is read from standard input
        --if-unchanged DIGEST   change nothing if NAME has another SHA-256 by now, or with none, if there is a NAME: for
                        editors, so that two people do not overwrite each other; policy list --json has the digest

        JSON: as policy apply, with "groups":[{"users":[…],"differences":[…]}], as policy diff has them, and "saved", the
        generation that was made of what lay there before, where it had not been kept yet. "changed" is false where all
        of it lay there already. Findings of the check are in "findings".

        exit codes: 0 done, or nothing to do; 1 a file has errors, NAME was changed, or nobody agreed: nothing was changed;
        2 wrong command line; 4 could not be done, or is done and could not be recorded; 5 there is no policy file, or a link leads out.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let limit = try PolicyWriting.retainedGenerations(&arguments)
        let reason = try arguments.option("--reason")
        let (isDryRun, isAgreed) = (arguments.flag("--dry-run"), arguments.flag("--yes"))
        let (name, seen) = (try arguments.option("--as"), try arguments.option("--if-unchanged"))
        if arguments.flag(Lint.standardInput) {
            var source = try PolicyInput.standardInput(as: name, of: self)
            try arguments.requireEnd()
            if let name, let seen { try source.require(name, seen, of: self) }
            let note = "edit of \(name ?? "")" + (reason.map { ": \($0)" } ?? "")
            return try PolicyRollout(source, note: note, isDryRun: isDryRun, isAgreed: isAgreed, limit: limit)
                .run(context, for: self)
        }
        if name != nil || seen != nil { throw .usage("--as and --if-unchanged go with -.", of: self) }
        let words = try arguments.files()
        guard !words.isEmpty else { throw .usage("The folder or file to install is missing.", of: self) }
        let source = try PolicyInput(words, of: self)
        for note in source.notes { context.console.say(note) }
        // The folder alone says where it comes from; of some files each may come from elsewhere.
        let commit = words.count == 1 ? (try? CallerPath.absolute(words[0])).flatMap(GitCheckout.commit) : nil
        let what =
            (words.count == 1 ? words[0] : "\(words.count) files") + source.ownerNote
            + (commit.map { " (git commit \($0))" } ?? "")
        let rollout = PolicyRollout(
            source, note: "install of \(what)" + (reason.map { ": \($0)" } ?? ""), isDryRun: isDryRun,
            isAgreed: isAgreed, limit: limit)
        return try rollout.run(context, for: self)
    }
}

/// Checks policy files, shows what they change, and puts them in place: what `install` and `edit` have in common.
struct PolicyRollout {
    /// What to do without a terminal.
    static let remedy = "--yes says so, and --dry-run only looks"

    private let source: PolicyInput
    /// What is done and why, for the generation and the audit log.
    private let note: String
    private let isDryRun: Bool
    /// Whether to go on without a question.
    private let isAgreed: Bool
    /// How many generations stay.
    private let limit: Int

    init(
        _ source: PolicyInput, note: String, isDryRun: Bool, isAgreed: Bool,
        limit: Int = GenerationStore.standardLimit
    ) {
        (self.source, self.note) = (source, note)
        (self.isDryRun, self.isAgreed, self.limit) = (isDryRun, isAgreed, limit)
    }

    /// Does it.
    func run(_ context: Context, for verb: any Verb.Type) throws(Failure) -> ExitCode {
        let root = try context.root()
        let store = PolicyStore(root: root)
        if !isDryRun { try PolicyWriting.requirePermission(for: store, to: "install policy") }
        // One scan serves all that is shown, and its files are not read again under the lock if they are unchanged.
        let isOther = context.options.facts != nil
        let accounts = isOther ? try context.machine(saying: false).accounts : nil
        let scan = PolicyStore(root: root, accounts: accounts).scan(.reading)
        let present = store.isManaged ? scan.set() : .unmanaged
        let machine = try context.machine(saying: false, known: present)
        if let reason = present.knowledge.failure {
            throw Failure(code: .inputOutput, message: PolicyKnowledge.sentence(of: reason))
        }
        var report = ApplyReport(root: root, isDryRun: isDryRun)
        let preview = InstallationPreview(
            source.installation, shown: source.shownPaths, beside: present,
            mustBeSigned: store.demandsSignatures(after: scan.inspection.record), on: machine)
        let (after, findings) = (preview.after, preview.findings)
        report.check = findings
        if findings.contains(where: { $0.severity == .error }) {
            try show(findings, context)
            if context.options.json { try context.print(report.document) }
            throw Failure(code: .no, message: "Nothing was changed, because of these errors.")
        }
        try show(findings, context)
        let pair = PolicyPair(present, after, roots: (root, root), machine: machine)
        let output = GroupedDiffOutput(GroupedDifferences(pair, of: machine), pair.output)
        report.differences = output
        if !context.options.json {
            for line in changedNames(scan.etc.listing) { try context.console.line(line) }
            for line in output.lines { try context.console.line(context.console.ink.difference(line)) }
        }
        for sentence in source.warnings + output.differences.limits { context.console.say(sentence) }
        if isDryRun {
            report.preview(after)
            if context.options.json {
                try context.print(report.document)
            } else {
                try context.console.line("nothing was written")
            }
            return .success
        }
        if !isAgreed {
            try PolicyWriting.requireAgreement("Put this in place?", orElse: PolicyRollout.remedy, context, verb)
        }
        let recorder = PolicyChangeRecorder(root: root)
        let result: InstallResult
        do throws(OperationError) {
            result = try store.install(source.installation, note: note, retaining: limit, after: scan) {
                recorder.recordInstallation(note)
            } report: { changes in
                recorder.record(changes)
            }
        } catch {
            let message = "\(error.description.prefix(1).uppercased())\(error.description.dropFirst())."
            let why = recorder.problem.map { " \($0)" } ?? ""
            throw Failure(code: error.isOvertaken ? .no : .inputOutput, message: Printable.escape(message + why))
        }
        report.add(result)
        let checkpoint = try PolicyWriting.finish(&report, context)
        return try PolicyWriting.print(report, checkpoint, context)
    }

    /// A line with the names that come, change and go: a change may make no difference to any user at this moment.
    private func changedNames(_ present: DirectoryListing) -> [String] {
        let old = Set(present.names.filter { PolicyFileName.kind(of: $0) != nil }.map { Key($0) })
        let digests = Dictionary(present.files.map { ($0.name, $0.digest) }) { one, _ in one }
        var words: [String] = []
        for (name, bytes) in source.installation.files {
            let shown = Printable.escape(name.string)
            if !old.contains(name) {
                words.append("\(shown) added")
            } else if digests[name] != SHA256.hash(bytes) {
                words.append("\(shown) changed")
            }
        }
        if source.installation.isWhole {
            let gone = old.subtracting(source.installation.items.keys).sorted()
            words += gone.map { "\(Printable.escape($0.string)) removed" }
        }
        return words.isEmpty ? ["No file differs."] : Layout.wrap("Files: \(words.joined(separator: ", ")).", indent: 0)
    }

    /// Prints findings on standard error, because the answer is the difference.
    private func show(_ findings: [Diagnostic], _ context: Context) throws(Failure) {
        context.console.sayPlain(findings.sorted().map { Printable.escape($0.description) })
    }
}
