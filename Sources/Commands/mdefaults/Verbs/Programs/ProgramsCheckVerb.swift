import MDCare
import MDEngine
import MDPlatform
import MDPrograms
import MDPropertyList
import MDReport
import MDTools

/// `programs check`: asks the programs themselves what is in force in them.
enum ProgramsCheckVerb: Verb {
    static let name = ["programs", "check"]
    static var accepts: GlobalOptions.Kinds { [.root, .user, .json] }
    static let summary = "ask the programs themselves what is in force"
    static let usage = ["programs check [PROGRAM…] [--changed] [--user NAME] [--json]"]
    static let help = """
        Starts each program that policy speaks of, or each PROGRAM, without a window and with an empty home folder of its
        own, and asks it: browsers of Chromium's family by DevTools for what chrome://policy shows, Firefox and
        Thunderbird by Marionette for what shows that they obey, such as locked preferences, GSettings by gsettings, KDE by
        kreadconfig, Xfce by xfce4-kiosk-query, LibreOffice over UNO; polkit by pkcheck about a process of a session. A
        program that does not answer within 30 s is ended.

        The program runs as the caller. Root asks as the user mdefaults-check, which the package makes, else as nobody, what
        holds for everybody, and then what each further policy of users says, with the files that a session of one of its
        users sees: at most 16 of these in one run, those first that were not asked since they or the program changed.
        What the programs answered is recorded: programs status, forced, doctor and report have it until policy or program
        changes. No process of a user has a part in it.

        --changed asks only what was not asked since policy or the program changed, as managed-defaults-check.service does
        after each policy apply where programs enable was run. What could not be asked is tried again after 6 hours. The
        program may take 120 s then, because the unit leaves the processor to others.

        A setting that keeps a browser from answering (developer tools, headless mode) is left out while it is asked: the
        program alone sees copies of the same files without it, the output says so, and the setting is unknown. Only root
        can do this.

        With --user root asks as that user, and nothing is recorded, because users control what runs as them. Where login
        sessions have instances of programs' folders (programs enable), that is in a session of the user that su begins. A
        program never runs as root; pkcheck, which asks polkit, does.

        enforced       the program has the value, and users cannot change it
        default        it has the value, and users may change it, as policy recommends
        differs        it has another value or none, or other people may change it than should
        not supported  it does not carry out such an entry
        first state only
                       it takes the value once, and users may then change it
        not known      it has no such name
        error          it says that there is an error
        unknown        it does not say

        What is in force in the program without policy, because others wrote it, is listed too and changes no exit code.

        JSON: [{"program","title","user","for","state":"asked"|"not installed"|"no witness"|"not asked","message",
        "entries":[{"domain","key","level":"forced"|"recommended"|"absent"|"set once"|"constraint"|"sealed"|"unknown",
        "required","effective","result","note","origin":{"policy","file","line","column"}}],
        "foreign":[{"key","effective"}],"remarks":[text]}]
        "for" is the user whose policy it is, where another one ran the program; "message" is there where the state is "not
        asked"; "sensitive":true takes the place of both values of a key that is never printed.

        exit codes: 0 all is in force; 1 something is not, or is left for another run; 2 wrong command line; 4 a program
        could not be asked, or the answers not recorded.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        var programs: [any Program] = []
        var isChanged = false
        while let word = arguments.next() {
            if word == "--changed" {
                isChanged = true
                continue
            }
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
        if isChanged, !isRoot || context.options.user != nil {
            throw .usage("--changed is for root, and for the policy of everybody and all users.", of: self)
        }
        if isRoot, context.options.user == nil {
            // Here the folders of programs are one user's own.
            if LoginInstances.isInside(machine.root) {
                return try run(
                    by: ["/usr/bin/nsenter", "--target", "1", "--mount", "--"], programs,
                    seconds: seconds(for: ProgramCatalog.all.count + MachinePrograms.inquiryLimit),
                    in: "outside of this login session", context)
            }
            return try askAll(programs.isEmpty ? nil : programs, changed: isChanged, context)
        }
        let account = try context.account()
        if !isRoot, account.uid != CurrentProcess.uid {
            throw Failure(
                code: .inputOutput, message: "Only root may run programs as \(Printable.escape(account.name)).")
        }
        let inquiries = MachinePrograms(machine: machine).inquiries(
            about: programs.isEmpty ? nil : programs, for: account)
        if isRoot, account.uid != 0, LoginInstances.areEnabled(in: machine.root),
            !LoginInstances.isInside(machine.root)
        {
            // Only a login session of the user sees the user's instances of programs' folders.
            let name = account.name
            return try run(
                by: ["/usr/bin/su", "-s", "/bin/sh", "-c", "exec \"$0\" \"$@\"", name, "--"], programs,
                seconds: seconds(for: inquiries.count), in: "in a login session of \(Printable.escape(name))", context)
        }
        if inquiries.isEmpty, !context.options.json { return try sayNothing(of: account, [], context) }
        let person = try runner(for: account, context)
        return try show(
            inquiries.map { inquiry in
                TestimonyText.Answer(
                    inquiry: inquiry, outcome: isRoot ? inquiry.ask(as: owner(of: person, machine)) : inquiry.ask())
            }, as: person, context)
    }

    /// Asks as a user of its own what holds for everybody, and what each further policy of users says; and records it.
    private static func askAll(
        _ programs: [any Program]?, changed isChanged: Bool, _ context: Context
    ) throws(Failure) -> ExitCode {
        let machine = try context.machine()
        let known = MachinePrograms(machine: machine)
        let person = try asker(context)
        do {
            let (inquiries, left) = try known.inquiries(about: programs, changed: isChanged)
            if isChanged, inquiries.isEmpty { return .success }
            if inquiries.isEmpty, !context.options.json {
                return try sayNothing(of: nil, ProgramsText.users(of: ProgramCatalog.all, in: machine), context)
            }
            let owner = owner(of: person, machine)
            try context.console.flush()
            let answers = inquiries.map {
                TestimonyText.Answer(
                    inquiry: $0, outcome: known.ask($0, as: owner, within: isChanged ? 120 : ProgramInquiry.seconds))
            }
            let code = try show(answers, as: person, context)
            for inquiry in left {
                let user = inquiry.audience.user.map { Printable.escape($0.name) } ?? "everybody"
                context.console.say(
                    "\(inquiry.program.title) was not asked what holds for \(user), because there are too many policies:"
                        + " run this again for the rest.")
            }
            try known.record(answers.map { ($0.inquiry, $0.outcome) })
            return left.isEmpty || code != .success ? code : .no
        } catch let error as Failure {
            throw error
        } catch {
            throw Failure(code: .inputOutput, message: "\(error)")
        }
    }

    /// The user that programs run as when root asks: one that the package makes, else one that other services may have.
    private static func asker(_ context: Context) throws(Failure) -> Account {
        if let own = try context.machine().accounts.account(named: "mdefaults-check") { return own }
        return try context.account(named: "nobody")
    }

    /// Prints the answers.
    private static func show(
        _ answers: [TestimonyText.Answer], as person: Account, _ context: Context
    ) throws(Failure) -> ExitCode {
        let root = try context.machine().root
        if context.options.json {
            try context.print(TestimonyText.document(of: answers, as: person.name, in: root))
        } else {
            for line in TestimonyText.lines(of: answers, as: person.name, in: root) { try context.console.line(line) }
        }
        return TestimonyText.code(of: answers)
    }

    /// Says that policy says nothing for a user, or for everybody.
    private static func sayNothing(
        of account: Account?, _ others: [String], _ context: Context
    ) throws(Failure) -> ExitCode {
        let sentence = ProgramsText.nothing(that: "another program", reads: account, butFor: others)
        for line in Layout.wrap(sentence, indent: 0) { try context.console.line(line) }
        return .success
    }

    private static func owner(of person: Account, _ machine: PolicyInForce) -> ForkedChild.Owner {
        ForkedChild.Owner(uid: person.uid, gid: person.gid, groups: machine.rights(of: person))
    }

    /// How long some programs may take together, in seconds.
    private static func seconds(for count: Int) -> Int { (count + 1) * (ProgramInquiry.seconds + 10) }

    /// Runs this verb by another command, which changes what it sees of programs' folders, and prints what it prints.
    ///
    /// - Parameters:
    ///   - command: the command with its words.
    ///   - programs: the programs.
    ///   - seconds: how long it may take.
    ///   - place: where it runs, for messages.
    ///   - context: the options and the console.
    /// - Returns: the exit code of what it ran.
    /// - Throws: if it was not run to its end.
    private static func run(
        by command: [String], _ programs: [any Program], seconds: Int, in place: String, _ context: Context
    ) throws(Failure) -> ExitCode {
        guard let path = CurrentProcess.executablePath else {
            throw Failure(code: .inputOutput, message: "The path of this program is unknown, because /proc is missing.")
        }
        let words =
            [path, "programs", "check"] + programs.map(\.name) + (context.options.json ? ["--json"] : [])
        let result: SubprocessResult
        do throws(SystemError) {
            result = try Subprocess.run(
                command[0], command.dropFirst() + words, timeoutMilliseconds: seconds * 1_000, limit: 16 << 20)
        } catch {
            throw .of(error)
        }
        try context.console.write(result.output)
        // The command itself may fail with the same codes, and prints nothing then.
        guard let status = result.status, let code = ExitCode(rawValue: status), [.success, .no].contains(code),
            !result.output.isEmpty
        else {
            throw Failure(code: .inputOutput, message: "Not every program could be asked \(place).")
        }
        return code
    }

    /// The user that programs run as for an account: never root.
    private static func runner(for account: Account, _ context: Context) throws(Failure) -> Account {
        account.uid != 0 ? account : try asker(context)
    }
}
