import Audit
import Engine
import Platform
import Policy
import PropertyList

/// `policy exam`: a whole set of policy files for some hours.
enum PolicyExamVerb: Verb {
    static let name = ["policy", "exam"]
    static let summary = "put a set of policy files in force for some hours"
    static let usage = [
        "policy exam start SET --until TIME|--for TIME [--reason TEXT]", "policy exam list", "policy exam stop [SET]",
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

        \(EndTime.help)
        --reason TEXT   why; it stands in the audit log

        The exam ends by itself at its time, in running programs as well, and with the next boot at the latest. stop
        ends it at once: that of SET, or without SET every one. Both are in the audit log, as records of kind grant,
        with who did it; where that cannot be stored, nothing is started.
        A grant that frees a key of the exam does so while the exam lasts, and a file with an earlier name that is
        Enforced, another exam for example, decides a key that both have. start says so of each such key, where both may
        be for the same person, of each file that can apply to nobody on this machine, and of each that ends earlier by
        itself, and starts the exam nevertheless. Where nothing of it could be in force it is refused, and so it is while
        the clock is earlier than what was recorded (doctor says so).
        Where policy has to be signed, each file of the set has its signature beside it (NAME.json.sig, made once by
        ssh-keygen -Y sign -n managed-defaults); a file without a good one is refused. What start writes to /run needs
        no signature of its own.
        Only root may; beneath --root, the owner of the folder.

        JSON: {"set","until","reason","by","files":[…],"exceptions":[{"kind":"lifts"|"beats","domain","key","file",
        "users":[…],"until"}],"idle":[{"file","reason"}],"beaten":[file],"shortened":[{"file","until"}]}; of list [{"set","until","reason","by","ended":bool,"files":[…]}]; of
        stop {"files":[…]}

        exit codes: 0 done; 1 not in force, or there is nothing to list or to stop; 2 wrong command line; 4 could not be read,
        written or recorded, or is not trusted; 5 a file of the set has errors, or cannot be said in JSON.
        """
    static let ownOptions = ["--for", "--until", "--reason"]

    static func run(_ words: inout Words, _ context: Context) throws(Failure) -> ExitCode {
        switch try words.next("start, list or stop") {
        case "start": return try start(&words, context)
        case "list": return try list(&words, context)
        case "stop": return try stop(&words, context)
        case let word: throw .usage("\(Printable.escape(word)) is none of start, list and stop.", of: self)
        }
    }

    /// Puts a set in force.
    private static func start(_ words: inout Words, _ context: Context) throws(Failure) -> ExitCode {
        let granting = try Granting(context, "start an exam")
        let end = try EndTime.take(&words, context)
        let reason = try words.option("--reason") ?? ""
        let word = try words.next("a set")
        try words.end()
        let set = try PolicySetFiles(word, root: granting.root, isSigned: granting.policies.demandsSignatures)
        let machine = try context.machine()
        let by = Granting.actor(machine)
        let exam = TemporaryPolicy.Exam(set: set.name, end: end, reason: reason, by: by)
        let files = try wrapped(set, exam, granting, machine)
        for sentence in set.ignored { context.console.say(sentence) }
        if machine.moment.isClockBehind, let note = ClockNote.sentence(machine) {
            let message = "Nothing was put in force: the exam would end at another time than is meant. \(note)"
            throw Failure(code: .no, message: message)
        }
        let until = machine.moment.words(for: end)
        let why = reason.isEmpty ? "" : ": \(reason)"
        try granting.record(
            "\(by) started the exam \(set.name) (\(files.count) \(files.count == 1 ? "file" : "files")) "
                + "until \(until)\(why)", machine: machine)
        let (renewed, replaced) = try granting.put(files, context)
        let prospects = renewed.policies.prospects(
            of: Set(files.map { Key($0.path) }), until: end, root: renewed.root, accounts: renewed.accounts,
            host: renewed.host, at: machine.moment)
        let exceptions = ExamExceptions(prospects, machine.moment, granting.root)
        if prospects.isWithoutEffect {
            try granting.withdraw(replaced, context)
            let message = "The exam \(set.name) would have no effect here"
            try granting.record("\(message): it was taken back", machine: machine)
            throw Failure(
                code: .no, message: (["\(message)."] + exceptions.sentences).joined(separator: "\n"))
        }
        try removeOthers(than: files, of: set.name, granting, renewed)
        if let note = granting.note { context.console.say(note) }
        let paths = files.map { granting.root.display($0.path) }
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.beginObject()
            json.field("set", set.name)
            json.field("until", end.rfc3339)
            json.field("reason", reason)
            json.field("by", by)
            list(paths, &json)
            exceptions.write(to: &json)
            json.endObject()
            try context.print(json)
        } else {
            let but = exceptions.sentences.isEmpty ? "" : ", with exceptions"
            try context.console.line(Printable.escape("The exam \(set.name) is in force until \(until)\(but)."))
            for path in paths { try context.console.line(Printable.escape(path)) }
        }
        for sentence in exceptions.sentences { context.console.say(sentence) }
        if let reason = renewed.uncertainty { context.console.say(PolicyMachine.sentence(ofUncertainty: reason)) }
        return .success
    }

    /// The files that the files of a set become.
    ///
    /// - Throws: exit 1 where one is not signed as it must be, or a file of something else lies in its place; exit 5
    ///   where one has errors, or says what cannot be carried over.
    private static func wrapped(
        _ set: PolicySetFiles, _ exam: TemporaryPolicy.Exam, _ granting: Granting, _ machine: PolicyMachine
    ) throws(Failure) -> [TemporaryPolicy] {
        var files: [TemporaryPolicy] = []
        for file in set.files {
            let made: TemporaryPolicy
            do {
                made = try TemporaryPolicy(wrapping: file.bytes, file: file.name, for: exam, shownPath: file.shownPath)
            } catch {
                throw PolicyGrantVerb.failure(error, granting.root)
            }
            let shown = Printable.escape(file.shownPath)
            if files.contains(where: { Key($0.name) == Key(made.name) }) {
                let message = "Nothing was put in force: another file of the set becomes \(made.name) as \(shown) does."
                throw Failure(code: .no, message: message)
            }
            let objection = granting.policies.signatureObjection(
                to: file.bytes, name: file.name, signature: file.signature)
            if let objection {
                throw Failure(
                    code: .no,
                    message: "Nothing was put in force: \(shown) is not signed as it must be, because"
                        + " \(Printable.escape(objection)).")
            }
            files.append(made)
        }
        let own = try Granting.files(machine).filter { $0.policy.examSet == Key(set.name) }
        let obstacle: TemporaryPolicy?
        do throws(SystemError) {
            obstacle = try granting.store.obstacle(to: files, replacing: Set(own.map { Key($0.name) }))
        } catch {
            throw Failure(code: .inputOutput, message: "Nothing was put in force: \(error).")
        }
        guard let obstacle else { return files }
        let shown = Printable.escape(granting.root.display(obstacle.path))
        throw Failure(
            code: .no,
            message: "Nothing was put in force: \(shown) is there already, and is no file of the exam \(set.name).")
    }

    /// Takes away the files of an earlier start that the set does not have any more.
    private static func removeOthers(
        than files: [TemporaryPolicy], of set: String, _ granting: Granting, _ machine: PolicyMachine
    ) throws(Failure) {
        let kept = Set(files.map { Key($0.name) })
        let others = try Granting.files(machine).filter {
            $0.policy.examSet == Key(set) && !kept.contains(Key($0.name))
        }
        try granting.end(others.map(\.name), "What an earlier start left")
    }

    /// Names the exams whose files are there.
    private static func list(_ words: inout Words, _ context: Context) throws(Failure) -> ExitCode {
        try words.end()
        let machine = try context.machine()
        let exams = try ExamListing(Granting.files(machine), machine)
        if context.options.json {
            try context.print(exams.document)
        } else {
            for line in exams.lines { try context.console.line(line) }
        }
        return exams.isEmpty ? .no : .success
    }

    /// Ends one exam, or all.
    private static func stop(_ words: inout Words, _ context: Context) throws(Failure) -> ExitCode {
        let word = words.next()
        try words.end()
        let granting = try Granting(context, "stop an exam")
        let name = try word.map { word throws(Failure) in try PolicySetFiles.name(of: word) }
        let machine = try context.machine()
        // What an administrator put there by hand stays.
        let stopped = try Granting.files(machine).filter { file in
            guard let set = file.policy.examSet else { return false }
            return name.map { Key($0) == set } ?? true
        }
        if !stopped.isEmpty {
            try granting.end(stopped.map(\.name), "The exam")
            try granting.record(
                "\(Granting.actor(machine)) stopped \(name.map { "the exam \($0)" } ?? "every exam")", machine: machine)
        }
        let paths = stopped.map { granting.root.display("\(TemporaryPolicy.directory)/\($0.name)") }
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.beginObject()
            list(paths, &json)
            json.endObject()
            try context.print(json)
        } else {
            let nothing = name.map { "The exam \($0) is not in force." } ?? "No exam is in force."
            try context.console.line(stopped.isEmpty ? nothing : "The exam is over.")
            for path in paths { try context.console.line(Printable.escape(path)) }
        }
        return stopped.isEmpty ? .no : .success
    }

    /// Appends the paths of files.
    private static func list(_ paths: [String], _ json: inout JSONWriter) {
        json.member("files")
        json.beginArray()
        for path in paths { json.string(path) }
        json.endArray()
    }
}
