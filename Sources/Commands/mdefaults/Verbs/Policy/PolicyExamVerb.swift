import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// `policy exam`: puts a set of policy files in force for some hours.
enum PolicyExamVerb: Verb {
    static let name = ["policy", "exam"]
    static let summary = "put a set of policy files in force for some hours"
    static let usage = [
        "policy exam start SET --until TIME|--for TIME [--group NAME,…|--users NAME,…|--everybody] [--reason TEXT]"
            + " [--until-boot] [--yes]",
        "policy exam list", "policy exam sets", "policy exam stop [SET]", "policy exam resume",
    ]
    static let help = """
        SET is a name in /etc/managed-defaults/sets.d, else in /usr/share/managed-defaults/sets, of a folder of policy files
        or of one file with or without its suffix; or, with a slash in it, a path as the shell has it. All are held to the
        rules of trust: the files and every directory above them belong to root, and nobody else can write there; beneath
        --root, the set belongs to the owner of the folder. start checks every file first; with an error in one of them
        nothing is put in force. Then each is written to /var/lib/managed-defaults/temporary and from there to
        /run/managed-defaults/policies.d, as 00-exam-SET-NAME: JSON that says the same, is Enforced, and has the field
        Temporary with the set, the end, who started it, why, and the SHA-256 of the set's file. Its own NotAfter may end
        it earlier. A file that says something that JSON cannot, as a profile that sets a key once in each session, is
        refused. The files keep their order among each other. Started again, the set has the new end; files of SET that are
        not there any more go. sets lists what can be started; list and stop find the files by the field Temporary, whatever their names are.

        \(EndOption.help)
        --group NAME,…  who sits it, instead of the users and groups of the set's files: these groups
        --users NAME,…  these users
        --everybody     everybody
        --until-boot    let the next boot end it
        --reason TEXT   why; it stands in the audit log

        Who sits an exam is said by the targets of its files, or at its start. Then it is the target of the files that are for
        all who sit it: those without users and groups or, where each file has some, those with all that any of them
        names. The others stay as they are, for a part of those people; Hosts, Tags, Schedule and Except of all files stay
        too. start names who has a session and does not sit it.
        An exam of more than 6 hours or over midnight is asked about, and so is one that is in force for other people now.

        The exam ends by itself at its time, in running programs as well. A boot does not end it: programs read the record,
        and managed-defaults-temporary.service runs resume, which puts into /run again what a boot took away, with a record.
        What has ended stays for another day in which the machine runs, and is in force again if the clock is set back
        before its end. stop ends it at once: that of SET, or without SET every one. Both write the files of other programs
        (mdefaults programs list) before they end, and are in the audit log, as records of kind grant, with who did it; where
        that cannot be stored, nothing is started.
        A grant that frees a key of the exam does so while the exam lasts, a grant with a value does not count then, and a file
        with an earlier name that is Enforced, another exam for example, decides a key that both have. start says so of
        each such key, where both may be for the same person, of each file that can apply to nobody on this machine, of each
        that ends earlier by itself, and of each program that has to be started again, and starts the exam nevertheless.
        Where nothing of it could be in force it is refused, and so it is while the clock is earlier than what was recorded
        (doctor says so).
        Where policy has to be signed, each file of the set has its signature beside it (NAME.json.sig, made once by
        ssh-keygen -Y sign -n managed-defaults); a file without a good one is refused, and one with a lower Version than was
        ever recorded of its Identifier. What start writes needs no signature of its own.
        Only root may; beneath --root, the owner of the folder; and delegates, what policy delegates shows.

        JSON: {"set","until","reason","by","files":[…],"sessions":[{"user","sits":bool,"restart":[program]}],
        "exceptions":[{"kind":"lifts"|"beats"|"suspends","domain","key","file","users":[…],"until"}],"idle":[{"file","reason"}],
        "beaten":[file],"shortened":[{"file","until"}],"programs"}; "sits" is missing where it is unknown, and a grant that is
        suspended does not count during the exam; of list [{"set","until","reason","by","ended":bool,"for":{"users":[…],
        "groups":[…],"everybody":bool},"sessions","files":[…]}]; of sets [{"set","description","for","files":[…],"problem"}];
        of stop {"files":[…],"programs"}; "programs" is as policy apply has it. "for" is what the targets of the files say,
        "problem" why a set cannot be started

        exit codes: 0 done; 1 not in force, not agreed, or there is nothing to list or to stop; 2 wrong command line, or nobody
        can be asked; 4 could not be read, written or recorded, or is not trusted; 5 a file of the set has errors, or cannot
        be said in JSON.
        """
    static let ownOptions = ["--for", "--until", "--reason", "--group", "--users"]

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        switch try arguments.next("start, list, sets, stop or resume") {
        case "start": return try start(&arguments, context)
        case "list": return try list(&arguments, context)
        case "sets": return try sets(&arguments, context)
        case "stop": return try stop(&arguments, context)
        case "resume": return try resume(&arguments, context)
        case let word:
            let words = ["start", "list", "sets", "stop", "resume"]
            let near = Suggestion.nearest(to: word, among: words).map { "; \($0) is near" } ?? ""
            throw .usage("\(Printable.escape(word)) is none of start, list, sets, stop and resume\(near).", of: self)
        }
    }

    /// Puts a set in force.
    private static func start(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let root = try context.root()
        let isDelegated = try DelegateClient.isNeeded(root, to: "start an exam")
        let (end, isAgreed) = try EndOption.parse(&arguments, context)
        let sitters = try sitters(&arguments)
        let reason = try arguments.option("--reason") ?? ""
        let isUntilBoot = arguments.flag("--until-boot")
        let word = try arguments.next("a set")
        try arguments.requireEnd()
        let set: String
        do throws(SystemError) {
            set = word.utf8.contains(UInt8(ascii: "/")) ? try CallerPath.absolute(word) : word
        } catch {
            throw .of(error)
        }
        let machine = try context.machine()
        let control = ExamControl(machine: machine)
        let request = ExamRequest(
            set: set, end: end, reason: reason, by: try context.actor(), sitters: sitters, isUntilBoot: isUntilBoot)
        let doubts: [String]
        do throws(TemporaryPolicyError) { doubts = isAgreed ? [] : try control.doubts(about: request) } catch {
            throw .of(error, self)
        }
        if !doubts.isEmpty {
            for doubt in doubts { context.console.say(doubt) }
            try PolicyWriting.requireAgreement("Is that meant?", orElse: "--yes says so", context, self)
        }
        if isDelegated {
            return try DelegateClient.ask(
                DelegateRequest(exam: word, request.sitters, until: end, reason, endsWithBoot: isUntilBoot), context)
        }
        let started: ExamControl.Started
        do throws(TemporaryPolicyError) { started = try control.start(request) } catch { throw .of(error, self) }
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
            started.people.write(to: &json)
            started.exceptions.write(to: &json)
            programs.write(to: &json)
            json.endObject()
            try context.print(json)
        } else {
            let but = sentences.isEmpty ? "" : ", with exceptions"
            try context.console.line(
                Printable.escape("The exam \(started.set) is in force until \(started.until)\(but)."))
            for path in started.files { try context.console.line(Printable.escape(path)) }
            for sentence in started.parts { try context.console.line(sentence) }
            for sentence in started.people.sentences {
                for line in Layout.fold(Printable.escape(sentence)) { try context.console.line(line) }
            }
            for line in programs.lines { try context.console.line(line) }
        }
        for sentence in sentences + programs.notes { context.console.say(sentence) }
        return programs.isUnfinished ? .inputOutput : .success
    }

    /// Parses who sits an exam.
    ///
    /// - Returns: the people; `nil` without an option.
    private static func sitters(_ arguments: inout Arguments) throws(Failure) -> ExamSitters? {
        let (users, groups) = (try arguments.option("--users"), try arguments.option("--group"))
        let isEverybody = arguments.flag("--everybody")
        guard [users != nil, groups != nil, isEverybody].filter(\.self).count < 2 else {
            throw .usage("Give one of --group, --users and --everybody.", of: self)
        }
        /// The names of a list.
        func names(_ word: String) throws(Failure) -> [Key] {
            let names = word.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            if names.contains(where: \.isEmpty) {
                throw .usage("\(Printable.escape(word)) has an empty name.", of: self)
            }
            return names.map { Key(String(Substring($0))) }
        }
        if isEverybody { return .everybody }
        if let users { return .users(try names(users)) }
        return try groups.map { groups throws(Failure) in .groups(try names(groups)) }
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

    /// Lists what can be started.
    private static func sets(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        try arguments.requireEnd()
        let sets = ExamSetListing(of: try context.root())
        if context.options.json {
            try context.print(sets.document)
        } else {
            for line in sets.lines { try context.console.line(line) }
        }
        return sets.isEmpty ? .no : .success
    }

    /// Ends one exam, or all.
    private static func stop(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let word = arguments.next()
        try arguments.requireEnd()
        let root = try context.root()
        if try DelegateClient.isNeeded(root, to: "stop an exam") {
            return try DelegateClient.ask(DelegateRequest(.stopExam(word)), context)
        }
        let (name, stopped): (String?, ExamControl.Stopped)
        do throws(TemporaryPolicyError) {
            name = try word.map { word throws(TemporaryPolicyError) in try ExamSet.name(of: word) }
        } catch {
            throw .of(error, self)
        }
        let (machine, actor) = (try context.machine(), try context.actor())
        do throws(TemporaryPolicyError) {
            stopped = try ExamControl(machine: machine).stop(name, by: actor)
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

    /// Puts what outlasts a boot in force again.
    private static func resume(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        try arguments.requireEnd()
        let root = try context.root()
        let store = PolicyStore(root: root)
        try PolicyWriting.requirePermission(for: store, to: "put exams in force again")
        let recorder = PolicyChangeRecorder(root: root)
        var (changes, isRecorded): ([PolicyChange], Bool) = ([], true)
        do throws(SystemError) {
            try store.resumeTemporary { found in
                changes = found
                isRecorded = recorder.record(found)
                return isRecorded
            }
        } catch {
            throw .of(error)
        }
        for change in changes {
            let note = "\(change.note.prefix(1).uppercased())\(change.note.dropFirst())."
            try context.console.line(Printable.escape(note))
        }
        if let problem = recorder.problem { context.console.say(problem) }
        return isRecorded ? .success : .inputOutput
    }

    /// Writes the member `files`.
    private static func list(_ paths: [String], _ json: inout JSONWriter) {
        json.member("files")
        json.beginArray()
        for path in paths { json.string(path) }
        json.endArray()
    }
}
