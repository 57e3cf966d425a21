import MDCare
import MDEngine
import MDPlatform
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
        let root = try context.root()
        try PolicyWriting.requirePermission(for: PolicyStore(root: root), to: "start an exam")
        let end = try EndOption.parse(&arguments, context)
        let reason = try arguments.option("--reason") ?? ""
        let word = try arguments.next("a set")
        try arguments.requireEnd()
        let set: String
        do throws(SystemError) {
            set = word.utf8.contains(UInt8(ascii: "/")) ? try CallerPath.absolute(word) : word
        } catch {
            throw .of(error)
        }
        let machine = try context.machine()
        let started: ExamControl.Started
        do throws(TemporaryPolicyError) {
            started = try ExamControl(machine: machine).start(
                ExamRequest(set: set, end: end, reason: reason, by: .caller(on: machine)))
        } catch {
            throw .of(error, self)
        }
        let programs = ProgramFiles(root: root, isPreview: false, result: started.programs)
        for sentence in started.notes { context.console.say(sentence) }
        let sentences = started.exceptions.sentences
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.beginObject()
            json.field("set", started.set)
            json.field("until", started.end.rfc3339)
            json.field("reason", started.reason)
            json.field("by", started.by)
            list(started.files, &json)
            started.exceptions.write(to: &json)
            programs.write(to: &json)
            json.endObject()
            try context.print(json)
        } else {
            let but = sentences.isEmpty ? "" : ", with exceptions"
            try context.console.line(
                Printable.escape("The exam \(started.set) is in force until \(started.until)\(but)."))
            for path in started.files { try context.console.line(Printable.escape(path)) }
            for line in programs.lines { try context.console.line(line) }
        }
        for sentence in sentences + programs.notes { context.console.say(sentence) }
        return programs.isUnfinished ? .inputOutput : .success
    }

    /// Lists the exams.
    private static func list(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        try arguments.requireEnd()
        let machine = try context.machine()
        let exams: ExamListing
        do throws(TemporaryPolicyError) {
            exams = try ExamListing(TemporaryPolicyInstaller.files(machine), machine)
        } catch {
            throw .of(error, self)
        }
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
        let root = try context.root()
        try PolicyWriting.requirePermission(for: PolicyStore(root: root), to: "stop an exam")
        let (name, stopped): (String?, ExamControl.Stopped)
        do throws(TemporaryPolicyError) {
            name = try word.map { word throws(TemporaryPolicyError) in try ExamSet.name(of: word) }
        } catch {
            throw .of(error, self)
        }
        let machine = try context.machine()
        do throws(TemporaryPolicyError) {
            stopped = try ExamControl(machine: machine).stop(name, by: .caller(on: machine))
        } catch {
            throw .of(error, self)
        }
        let programs = stopped.programs.map { ProgramFiles(root: root, isPreview: false, result: $0) }
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.beginObject()
            list(stopped.files, &json)
            programs?.write(to: &json)
            json.endObject()
            try context.print(json)
        } else {
            let nothing = name.map { "The exam \($0) is not in force." } ?? "No exam is in force."
            try context.console.line(stopped.files.isEmpty ? nothing : "The exam is over.")
            for path in stopped.files { try context.console.line(Printable.escape(path)) }
            for line in programs?.lines ?? [] { try context.console.line(line) }
        }
        for note in programs?.notes ?? [] { context.console.say(note) }
        if programs?.isUnfinished == true { return .inputOutput }
        return stopped.files.isEmpty ? .no : .success
    }

    /// Writes the member `files`.
    private static func list(_ paths: [String], _ json: inout JSONWriter) {
        json.member("files")
        json.beginArray()
        for path in paths { json.string(path) }
        json.endArray()
    }
}
