import MDAuditReading
import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPrograms
import MDPropertyList
import MDTools

/// What the verbs that write policy have in common: the permission to do so, and options about generations.
enum PolicyWriting {
    /// Refuses to go on if this process may not write policy.
    ///
    /// - Parameters:
    ///   - store: the policy directories.
    ///   - action: what the verb does, for the message: `apply policy`.
    /// - Throws: exit 4 with the user that may.
    static func requirePermission(for store: PolicyStore, to action: String) throws(Failure) {
        guard !store.mayWrite else { return }
        if store.root.isSystem, UserNamespace.isForeign {
            throw Failure(
                code: .inputOutput,
                message: "This is a user namespace, and its policy that of the machine outside of it: only root there "
                    + "may \(action).")
        }
        let who = store.root.isSystem ? "root" : "the owner of \(Printable.escape(store.root.path))"
        throw Failure(code: .inputOutput, message: "Only \(who) may \(action).")
    }

    /// Opens the folder of `--root`, or of this machine, for a caller that may change it.
    ///
    /// - Parameters:
    ///   - context: the command line.
    ///   - action: what the verb does, for the message: `apply policy`.
    /// - Returns: the folder.
    /// - Throws: exit 4 with the user that may.
    static func root(_ context: Context, to action: String) throws(Failure) -> Root {
        let root = try context.root()
        try requirePermission(for: PolicyStore(root: root), to: action)
        return root
    }

    /// Parses `--keep`: how many generations history retains.
    static func retainedGenerations(_ arguments: inout Arguments) throws(Failure) -> Int {
        guard let word = try arguments.option("--keep") else { return GenerationStore.standardLimit }
        guard let number = Int(word), (1...GenerationStore.greatestLimit).contains(number) else {
            throw .usage("--keep takes a number from 1 to \(GenerationStore.greatestLimit).", of: arguments.verb)
        }
        return number
    }

    /// Asks whether to go on.
    ///
    /// - Parameters:
    ///   - question: the question, without the answers.
    ///   - remedy: what to do without a terminal, as the end of a sentence.
    ///   - context: the console.
    ///   - verb: the verb whose usage lines a failure shows.
    /// - Throws: exit 2 without a terminal, exit 1 if the answer is not yes.
    static func requireAgreement(
        _ question: String, orElse remedy: String, _ context: Context, _ verb: any Verb.Type
    ) throws(Failure) {
        guard StandardInput.isTerminal else {
            throw .usage("Nobody can be asked here whether to go on; \(remedy).", of: verb)
        }
        let answer = context.console.ask("\(question) [y/N]")
        if ["y", "yes", "j", "ja"].contains(answer?.lowercased() ?? "") { return }
        throw Failure(code: .no, message: "Nothing was changed.")
    }

    /// Parses the number of a generation.
    static func generation(_ word: String, of verb: any Verb.Type) throws(Failure) -> Int {
        guard let number = Int(word), number > 0 else {
            throw .usage("\(Printable.escape(word)) is not the number of a generation.", of: verb)
        }
        return number
    }
}

extension PolicyWriting {
    /// Does what follows on recording: files of other programs, spools, the kept checkpoint.
    ///
    /// - Returns: whether the checkpoint of the log could be kept.
    static func finish(_ report: inout ApplyReport, _ context: Context) throws(Failure) -> ExitCode {
        let root = try context.root()
        // That of the context is older than the change.
        let machine = PolicyMachine(root: root, expanding: .commonSettings(of: root)).policy(
            known: report.isRecorded ? report.set : nil)
        report.programs = ProgramFiles.write(on: machine)
        try recordUse(&report, machine)
        return keepCheckpoint(root, context.console)
    }

    /// Prints what was done; returns the exit code.
    static func print(_ report: ApplyReport, _ checkpoint: ExitCode, _ context: Context) throws(Failure) -> ExitCode {
        if context.options.json {
            try context.print(report.document)
        } else {
            for line in report.lines.flatMap({ Layout.fold($0) }) { try context.console.line(line) }
            for note in report.notes { context.console.say(note) }
        }
        if report.isUnfinished || checkpoint == .inputOutput { return .inputOutput }
        return report.isWhole && checkpoint == .success ? .success : .no
    }

    /// Keeps the newest checkpoint of the log beside the policy record, and prints a message if the log does not
    /// continue the kept one.
    ///
    /// - Returns: `success`; `no` if the log does not continue it; `inputOutput` if it could not be kept.
    private static func keepCheckpoint(_ root: Root, _ console: Console) -> ExitCode {
        do {
            guard let alarm = try KeptCheckpoint.renew(root) else { return .success }
            console.say(alarm)
            return .no
        } catch {
            console.say("The log's checkpoint was not kept beside the policy record: \(error).")
            return .inputOutput
        }
    }

    /// The most indexes of segments of the log that one run makes; each takes about half a second.
    private static let indexesAtOnce = 4

    /// Takes spools into the log, indexes it, and records the waivers in use.
    private static func recordUse(_ report: inout ApplyReport, _ machine: PolicyInForce) throws(Failure) {
        report.spools = SpoolCollector.collect(on: machine)
        // Else the first question about a person would take as long as reading the whole log.
        _ = SegmentIndexes(root: machine.root)?.renew(most: indexesAtOnce)
        guard report.set.files.contains(where: { !($0.policy?.waivers.isEmpty ?? true) }) else { return }
        // A grant has a record of its own, which says more.
        let grants = Set(report.set.files.compactMap { $0.policy?.isGrant == true ? Key($0.path) : nil })
        for account in machine.people {
            let waivers = machine.resultant(for: account).waivers.filter {
                !grants.contains(Key($0.waiver.origin.file))
            }
            WaiverRecorder(root: machine.root).record(waivers, of: account)
        }
    }
}
