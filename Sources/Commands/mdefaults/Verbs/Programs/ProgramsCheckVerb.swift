import MDCare
import MDEngine
import MDPlatform
import MDPrograms
import MDPropertyList
import MDReport

/// `programs check`: asks the programs themselves what is in force in them.
enum ProgramsCheckVerb: Verb {
    static let name = ["programs", "check"]
    static var accepts: GlobalOptions.Kinds { [.root, .user, .json] }
    static let summary = "ask the programs themselves what is in force"
    static let usage = ["programs check [PROGRAM…] [--user NAME] [--json]"]
    static let help = """
        Starts each program that policy speaks of, or each PROGRAM, without a window and with an empty home folder of its
        own, and asks it: browsers of Chromium's family by DevTools for what chrome://policy shows, Firefox and
        Thunderbird by Marionette for their active policies and locked preferences, GSettings by gsettings, KDE by
        kreadconfig, Xfce by xfce4-kiosk-query, LibreOffice over UNO. A program that does not answer within 30 s is
        ended.

        The program runs as the caller. Root asks as the user of --user or, for what holds for everybody, as the user
        nobody; a program never runs as root. Where login sessions have instances of programs' folders (programs enable),
        root asks in a session of the user that su begins.

        enforced       the program has the value, and users cannot change it
        default        it has the value, and users may change it, as policy recommends
        differs        it has another value or none, or other people may change it than should
        not supported  it does not carry out such an entry
        error          it says that there is an error
        unknown        it does not say

        What is in force in the program without policy, because others wrote it, is listed too and changes no exit code.

        JSON: [{"program","title","user","state":"asked"|"not installed"|"no witness"|"not asked","message",
        "entries":[{"domain","key","level":"forced"|"recommended"|"absent"|"set once"|"constraint"|"sealed"|"unknown",
        "required","effective","result","note","origin":{"policy","file","line","column"}}],
        "foreign":[{"key","effective"}],"remarks":[text]}]
        "message" is there where the state is "not asked"; "sensitive":true takes the place of both values of a key that
        is never printed.

        exit codes: 0 all is in force; 1 something is not; 2 wrong command line; 4 a program could not be asked.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        var programs: [any Program] = []
        while let word = arguments.next() {
            if word.utf8.first == UInt8(ascii: "-") {
                throw .usage("\(Printable.escape(word)) is no option here.", of: self)
            }
            guard let program = ProgramCatalog.program(named: word) else {
                let names = ProgramCatalog.all.map(\.name).joined(separator: ", ")
                throw .usage("There is no program \(Printable.escape(word)). There are: \(names).", of: self)
            }
            programs.append(program)
        }
        try context.requireKnownPolicy()
        let machine = try context.machine()
        guard machine.root.isSystem else {
            throw Failure(
                code: .inputOutput,
                message:
                    "Programs read the files of the machine that they run on, not those of a folder: leave out --root.")
        }
        let isRoot = CurrentProcess.uid == 0
        let account = isRoot && context.options.user == nil ? nil : try context.account()
        if let account, !isRoot, account.uid != CurrentProcess.uid {
            throw Failure(
                code: .inputOutput, message: "Only root may run programs as \(Printable.escape(account.name)).")
        }
        let inquiries = MachinePrograms(machine: machine).inquiries(
            about: programs.isEmpty ? nil : programs, for: account)
        if let account, isRoot, account.uid != 0, LoginInstances.areEnabled(in: machine.root),
            !LoginInstances.isInside(machine.root)
        {
            return try askInSession(of: account, programs, count: inquiries.count, context)
        }
        if inquiries.isEmpty, !context.options.json {
            let others = account == nil ? ProgramsText.users(of: ProgramCatalog.all, in: machine) : []
            let sentence = ProgramsText.nothing(that: "another program", reads: account, butFor: others)
            for line in Layout.wrap(sentence, indent: 0) { try context.console.line(line) }
            return .success
        }
        let person = try runner(for: account, context)
        let outcome = try context.run(
            uid: person.uid, gid: person.gid, groups: machine.rights(of: person),
            seconds: Double(seconds(for: inquiries.count))
        ) { () throws(Failure) in
            let answers = inquiries.map { TestimonyText.Answer(inquiry: $0, outcome: $0.ask()) }
            if context.options.json {
                try context.print(TestimonyText.document(of: answers, as: person.name, in: machine.root))
            } else {
                for line in TestimonyText.lines(of: answers, as: person.name, in: machine.root) {
                    try context.console.line(line)
                }
            }
            return Context.Outcome(code: TestimonyText.code(of: answers))
        }
        return outcome.code
    }

    /// How long some programs may take together, in seconds.
    private static func seconds(for count: Int) -> Int { (count + 1) * (ProgramInquiry.seconds + 10) }

    /// Runs this verb in a login session of the user, which alone sees the user's instances of programs' folders.
    private static func askInSession(
        of account: Account, _ programs: [any Program], count: Int, _ context: Context
    ) throws(Failure) -> ExitCode {
        guard let path = CurrentProcess.executablePath else {
            throw Failure(code: .inputOutput, message: "The path of this program is unknown, because /proc is missing.")
        }
        let words =
            [path, "programs", "check"] + programs.map(\.name) + (context.options.json ? ["--json"] : [])
        let result: SubprocessResult
        do throws(SystemError) {
            result = try Subprocess.run(
                "/usr/bin/su", ["-s", "/bin/sh", "-c", "exec \"$0\" \"$@\"", account.name, "--"] + words,
                timeoutMilliseconds: seconds(for: count) * 1_000, limit: 16 << 20)
        } catch {
            throw .of(error)
        }
        try context.console.write(result.output)
        guard let status = result.status, let code = ExitCode(rawValue: status), [.success, .no].contains(code) else {
            throw Failure(
                code: .inputOutput,
                message: "Not every program could be asked in a login session of \(Printable.escape(account.name)).")
        }
        return code
    }

    /// The user that programs run as: never root.
    private static func runner(for account: Account?, _ context: Context) throws(Failure) -> Account {
        if let account, account.uid != 0 { return account }
        return try context.account(named: "nobody")
    }
}
