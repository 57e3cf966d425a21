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
        "policy exam start SET --until TIME|--for TIME [--reason TEXT]", "policy exam stop [SET]",
    ]
    static let help = """
        SET is a name in /etc/managed-defaults/sets.d, of a folder of policy files or of one file with or without its
        suffix; or, with a slash in it, a path as the shell has it. Both are held to the rules of trust: the files and
        every directory above them belong to root, and nobody else can write there; beneath --root, the set belongs to
        the owner of the folder. start checks every file first; with an error in one of them nothing is put in force.
        Then each is copied, byte for byte, to /run/managed-defaults/policies.d as 00-exam-SET.NAME.until-TIME.json. That
        name makes it Enforced and ends it; its own NotAfter may end it earlier. The files keep their targets, and their
        order among each other. Started again, the set has the new end; files of SET that are not there any more go.

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
        ssh-keygen -Y sign -n managed-defaults), which goes to /run with it; a file without a good one is refused.
        Only root may; beneath --root, the owner of the folder.

        JSON: {"set","until","reason","by","files":[…],"exceptions":[{"kind":"lifts"|"beats","domain","key","file",
        "users":[…],"until"}],"idle":[{"file","reason"}],"beaten":[file],"shortened":[{"file","until"}]}; of stop {"files":[…]}

        exit codes: 0 done; 1 not in force, or there was nothing to stop; 2 wrong command line; 4 could not be read,
        written or recorded, or is not trusted; 5 a file of the set has errors.
        """
    static let ownOptions = ["--for", "--until", "--reason"]

    static func run(_ words: inout Words, _ context: Context) throws(Failure) -> ExitCode {
        switch try words.next("start or stop") {
        case "start": return try start(&words, context)
        case "stop": return try stop(&words, context)
        case let word: throw .usage("\(Printable.escape(word)) is neither start nor stop.", of: self)
        }
    }

    /// Puts a set in force.
    private static func start(_ words: inout Words, _ context: Context) throws(Failure) -> ExitCode {
        let end = try EndTime.take(&words, context)
        let reason = try words.option("--reason") ?? ""
        let word = try words.next("a set")
        try words.end()
        let granting = try Granting(context, "start an exam")
        let set = try PolicySetFiles(word, root: granting.root, isSigned: granting.demandsSignatures)
        var files: [TemporaryPolicy] = []
        for file in set.files {
            do {
                files.append(
                    try TemporaryPolicy(
                        copying: file.bytes, file: file.name, signature: file.signature, ofSet: set.name,
                        shownPath: file.shownPath, until: end))
            } catch {
                throw PolicyGrantVerb.failure(error, granting.root)
            }
            if granting.demandsSignatures, file.signature == nil, !file.name.hasSuffix(".mobileconfig") {
                let shown = Printable.escape(file.shownPath)
                throw granting.unsigned("\(shown) has no signature beside it (\(shown).sig)")
            }
        }
        for sentence in set.ignored { context.console.say(sentence) }
        let machine = try context.machine()
        if machine.moment.isClockBehind, let note = ClockNote.sentence(machine) {
            let message = "Nothing was put in force: the exam would end at another time than is meant. \(note)"
            throw Failure(code: .no, message: message)
        }
        let by = Granting.actor(machine)
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
        try removeOthers(than: files, of: set.name, granting, context)
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

    /// Takes away the files of an earlier start that the set does not have any more.
    private static func removeOthers(
        than files: [TemporaryPolicy], of set: String, _ granting: Granting, _ context: Context
    ) throws(Failure) {
        let kept = Set(files.map { Key($0.name) })
        do throws(SystemError) {
            let names = try granting.store.names(TemporaryPolicy.prefix(ofExam: set))
            let others = names.filter { !kept.contains(Key($0)) }
            for name in others { _ = try granting.store.remove(name) }
            if others.isEmpty { return }
        } catch {
            throw Failure(code: .inputOutput, message: "An earlier start's files could not be taken away: \(error).")
        }
        _ = try granting.renewed(context)
    }

    /// Ends one exam, or all.
    private static func stop(_ words: inout Words, _ context: Context) throws(Failure) -> ExitCode {
        let word = words.next()
        try words.end()
        let granting = try Granting(context, "stop an exam")
        let name = try word.map { word throws(Failure) in try PolicySetFiles.name(of: word) }
        let machine = try context.machine()
        var stopped: [String] = []
        do throws(SystemError) {
            let names = try granting.store.names(name.map(TemporaryPolicy.prefix) ?? TemporaryPolicy.examPrefix)
            // What an administrator put there by hand stays.
            for file in names where TemporaryPolicy.isOfExam(file) {
                if try granting.store.remove(file) { stopped.append("\(TemporaryPolicy.directory)/\(file)") }
            }
        } catch {
            throw Failure(code: .inputOutput, message: "The exam could not be stopped: \(error).")
        }
        if !stopped.isEmpty {
            _ = try granting.renewed(context)
            try granting.record(
                "\(Granting.actor(machine)) stopped \(name.map { "the exam \($0)" } ?? "every exam")", machine: machine)
        }
        let paths = stopped.map(granting.root.display)
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
