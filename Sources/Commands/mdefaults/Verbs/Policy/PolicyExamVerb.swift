import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// `policy exam`: puts a set of policy files in force for some hours.
enum PolicyExamVerb: Verb {
    static let name = ["policy", "exam"]
    static let summary = "put a set of policy files in force for some hours"
    static let usage = [
        "policy exam start SET --until TIME|--for TIME [--reason TEXT] [--yes]", "policy exam list",
        "policy exam stop [SET]",
    ]
    static let help = """
        SET is a name in /etc/managed-defaults/sets.d, of a folder of policy files or of one file with or without its
        suffix; or, with a slash in it, a path as the shell has it. Both are held to the rules of trust: the files and
        every directory above them belong to root, and nobody else can write there; beneath --root, the set belongs to
        the owner of the folder. start checks every file first; with an error in one of them nothing is put in force.
        Then each is written to /run/managed-defaults/policies.d, as 00-exam-SET-NAME: JSON that says the same, is
        Enforced, and has the field Temporary with the set, the end, who started it, why, and the SHA-256 of the set's
        file. Its own NotAfter may end it earlier. A file that says something that JSON cannot, as a profile that sets a
        key once in each session, is refused. The files keep their targets, and their order among each other. Started
        again, the set has the new end; files of SET that are not there any more go. list and stop find the files by the
        field Temporary, whatever their names are.

        \(EndOption.help)
        --reason TEXT   why; it stands in the audit log

        The exam ends by itself at its time, in running programs as well, and with the next boot at the latest. stop
        ends it at once: that of SET, or without SET every one. Both write the files of other programs (mdefaults
        programs list) before they end, and are in the audit log, as records of kind grant, with who did it; where
        that cannot be stored, nothing is started.
        A grant that frees a key of the exam does so while the exam lasts, and a file with an earlier name that is
        Enforced, another exam for example, decides a key that both have. start says so of each such key, where both may
        be for the same person, of each file that can apply to nobody on this machine, and of each that ends earlier by
        itself, and starts the exam nevertheless. Where nothing of it could be in force it is refused, and so it is while
        the clock is earlier than what was recorded (doctor says so).
        Where policy has to be signed, each file of the set has its signature beside it (NAME.json.sig, made once by
        ssh-keygen -Y sign -n managed-defaults); a file without a good one is refused, and one with a lower Version than
        was ever recorded of its Identifier. What start writes to /run needs no signature of its own.
        Only root may; beneath --root, the owner of the folder.

        JSON: {"set","until","reason","by","files":[…],"exceptions":[{"kind":"lifts"|"beats","domain","key","file",
        "users":[…],"until"}],"idle":[{"file","reason"}],"beaten":[file],"shortened":[{"file","until"}],"programs"}; of list
        [{"set","until","reason","by","ended":bool,"files":[…]}]; of stop {"files":[…],"programs"}; "programs" is as
        policy apply has it

        exit codes: 0 done; 1 not in force, or there is nothing to list or to stop; 2 wrong command line; 4 could not be read,
        written or recorded, or is not trusted; 5 a file of the set has errors, or cannot be said in JSON.
        """
    static let ownOptions = ["--for", "--until", "--reason"]

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        switch try arguments.next("start, list or stop") {
        case "start": return try start(&arguments, context)
        case "list": return try list(&arguments, context)
        case "stop": return try stop(&arguments, context)
        case let word:
            let near = Suggestion.nearest(to: word, among: ["start", "list", "stop"]).map { "; \($0) is near" } ?? ""
            throw .usage("\(Printable.escape(word)) is none of start, list and stop\(near).", of: self)
        }
    }

    /// Puts a set in force.
    private static func start(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let installer = try TemporaryPolicyInstaller(context, to: "start an exam")
        let end = try EndOption.parse(&arguments, context)
        let reason = try arguments.option("--reason") ?? ""
        let word = try arguments.next("a set")
        try arguments.requireEnd()
        let set = try ExamSet(word, root: installer.root, isSigned: installer.policies.demandsSignatures, of: self)
        let machine = try context.machine()
        let by = TemporaryPolicyInstaller.actor(machine)
        let exam = TemporaryPolicy.Exam(set: set.name, end: end, reason: reason, by: by)
        let files = try wrapped(set, exam, installer, machine)
        for sentence in set.ignored { context.console.say(sentence) }
        if machine.moment.isClockBehind, let note = PolicyNotes.clockSentence(machine) {
            let message = "Nothing was put in force: the exam would end at another time than is meant. \(note)"
            throw Failure(code: .no, message: message)
        }
        let until = machine.moment.words(for: end)
        let why = reason.isEmpty ? "" : ": \(reason)"
        try installer.record(
            "\(by) started the exam \(set.name) (\(files.count) \(files.count == 1 ? "file" : "files")) "
                + "until \(until)\(why)", machine: machine)
        let (renewed, replaced) = try installer.put(files, context)
        let temporaryEffect = renewed.policies.temporaryEffect(
            of: Set(files.map { Key($0.path) }), until: end, root: renewed.root, accounts: renewed.accounts,
            host: renewed.host, at: machine.moment)
        let exceptions = ExamExceptions(temporaryEffect, machine.moment, installer.root)
        if temporaryEffect.isWithoutEffect {
            try installer.withdraw(replaced, context)
            let message = "The exam \(set.name) would have no effect here"
            try installer.record("\(message): it was taken back", machine: machine)
            throw Failure(
                code: .no, message: (["\(message)."] + exceptions.sentences).joined(separator: "\n"))
        }
        try removeOthers(than: files, of: set.name, installer, renewed)
        let programs = ProgramFiles.write(on: installer.root)
        if let note = installer.note { context.console.say(note) }
        let paths = files.map { installer.root.display($0.path) }
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.beginObject()
            json.field("set", set.name)
            json.field("until", end.rfc3339)
            json.field("reason", reason)
            json.field("by", by)
            list(paths, &json)
            exceptions.write(to: &json)
            programs.write(to: &json)
            json.endObject()
            try context.print(json)
        } else {
            let but = exceptions.sentences.isEmpty ? "" : ", with exceptions"
            try context.console.line(Printable.escape("The exam \(set.name) is in force until \(until)\(but)."))
            for path in paths { try context.console.line(Printable.escape(path)) }
            for line in programs.lines { try context.console.line(line) }
        }
        for sentence in exceptions.sentences + programs.notes { context.console.say(sentence) }
        return programs.isUnfinished ? .inputOutput : .success
    }

    /// Converts the files of a set to temporary policy.
    ///
    /// - Throws: exit 1 if one lacks a good signature, or another file is in its place; exit 5 if one has errors or cannot be
    ///   converted.
    private static func wrapped(
        _ set: ExamSet, _ exam: TemporaryPolicy.Exam, _ installer: TemporaryPolicyInstaller, _ machine: PolicyInForce
    ) throws(Failure) -> [TemporaryPolicy] {
        var files: [TemporaryPolicy] = []
        for file in set.files {
            let made: TemporaryPolicy
            do {
                made = try TemporaryPolicy(wrapping: file.bytes, file: file.name, for: exam, shownPath: file.shownPath)
            } catch {
                throw TemporaryPolicyInstaller.failure(error)
            }
            let shown = Printable.escape(file.shownPath)
            if files.contains(where: { Key($0.name) == Key(made.name) }) {
                let message = "Nothing was put in force: another file of the set becomes \(made.name) as \(shown) does."
                throw Failure(code: .no, message: message)
            }
            let policy = PolicyFile.parse(bytes: file.bytes, path: file.name, shownPath: file.shownPath).file
            let objection = installer.policies.objection(
                to: file.bytes, policy, name: file.name, signature: file.signature)
            if let objection, let reason = objection.refusal.map(Printable.escape) {
                let sentence =
                    objection.code == .oldVersion
                    ? "\(shown):\(objection.position): \(reason); raise it and sign the file again"
                    : "\(shown) is not signed as it must be, because \(reason)"
                throw Failure(code: .no, message: "Nothing was put in force: \(sentence).")
            }
            files.append(made)
        }
        let own = try TemporaryPolicyInstaller.files(machine).filter { $0.policy.examSet == Key(set.name) }
        let obstacle: TemporaryPolicy?
        do throws(SystemError) {
            obstacle = try installer.store.obstacle(to: files, replacing: Set(own.map { Key($0.name) }))
        } catch {
            throw Failure(code: .inputOutput, message: "Nothing was put in force: \(error).")
        }
        guard let obstacle else { return files }
        let shown = Printable.escape(installer.root.display(obstacle.path))
        throw Failure(
            code: .no,
            message: "Nothing was put in force: \(shown) is there already, and is no file of the exam \(set.name).")
    }

    /// Removes the files of an earlier start that the set no longer has.
    private static func removeOthers(
        than files: [TemporaryPolicy], of set: String, _ installer: TemporaryPolicyInstaller, _ machine: PolicyInForce
    ) throws(Failure) {
        let kept = Set(files.map { Key($0.name) })
        let others = try TemporaryPolicyInstaller.files(machine).filter {
            $0.policy.examSet == Key(set) && !kept.contains(Key($0.name))
        }
        try installer.end(others.map(\.name), "What an earlier start left")
    }

    /// Lists the exams.
    private static func list(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        try arguments.requireEnd()
        let machine = try context.machine()
        let exams = try ExamListing(TemporaryPolicyInstaller.files(machine), machine)
        if context.options.json {
            try context.print(exams.document)
        } else {
            for line in exams.lines { try context.console.line(line) }
        }
        return exams.isEmpty ? .no : .success
    }

    /// Ends one exam, or all.
    private static func stop(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let word = arguments.next()
        try arguments.requireEnd()
        let installer = try TemporaryPolicyInstaller(context, to: "stop an exam")
        let name = try word.map { word throws(Failure) in try ExamSet.name(of: word, for: self) }
        let machine = try context.machine()
        // Files that an administrator wrote by hand stay.
        let stopped = try TemporaryPolicyInstaller.files(machine).filter { file in
            guard let set = file.policy.examSet else { return false }
            return name.map { Key($0) == set } ?? true
        }
        if !stopped.isEmpty {
            try installer.end(stopped.map(\.name), "The exam")
            try installer.record(
                "\(TemporaryPolicyInstaller.actor(machine)) stopped \(name.map { "the exam \($0)" } ?? "every exam")",
                machine: machine)
        }
        let programs = stopped.isEmpty ? nil : ProgramFiles.write(on: installer.root)
        let paths = stopped.map { installer.root.display("\(TemporaryPolicy.directory)/\($0.name)") }
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.beginObject()
            list(paths, &json)
            programs?.write(to: &json)
            json.endObject()
            try context.print(json)
        } else {
            let nothing = name.map { "The exam \($0) is not in force." } ?? "No exam is in force."
            try context.console.line(stopped.isEmpty ? nothing : "The exam is over.")
            for path in paths { try context.console.line(Printable.escape(path)) }
            for line in programs?.lines ?? [] { try context.console.line(line) }
        }
        for note in programs?.notes ?? [] { context.console.say(note) }
        if programs?.isUnfinished == true { return .inputOutput }
        return stopped.isEmpty ? .no : .success
    }

    /// Writes the member `files`.
    private static func list(_ paths: [String], _ json: inout JSONWriter) {
        json.member("files")
        json.beginArray()
        for path in paths { json.string(path) }
        json.endArray()
    }
}
