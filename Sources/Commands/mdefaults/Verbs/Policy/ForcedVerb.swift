import MDCare
import MDEngine
import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPrograms
import MDPropertyList
import MDReport
import MDTools

/// `forced`: which keys are forced for a user, or whether one is.
enum ForcedVerb: Verb {
    static let name = ["forced"]
    static var accepts: GlobalOptions.Kinds { .question }
    static let summary = "list the forced keys, or ask about one"
    static let usage = ["forced [--json]", "forced DOMAIN [--json]", "forced DOMAIN KEY [--json]"]
    static let help = """
        Without words: every forced key of the user, with its value and the file and line that force it.
        With DOMAIN: those that an application of that name meets, NSGlobalDomain's included.
        With KEY: prints "forced" or "not forced". A key that is forced in NSGlobalDomain counts. A key that policy
        keeps without a value is forced as well. In a sealed domain every key is forced that no waiver frees.
        Sensitive values show as (sensitive). policy show is the long form, with what is recommended and what loses;
        explain shows one key from every side. A domain or key that no policy, manifest or stored file knows is said on
        standard error, with the one that is near; so is a domain of policy that no program is known to read.

        JSON: [{"domain","key","value","origin":{"policy","file","line","column"}}]
        with KEY: {"domain","key","forced":bool,"value","origin"}
        A key that is kept without a value has no "value", one that is not forced neither "value" nor "origin". A
        sealed domain has an entry with an empty "key" and "sealed":true; a key that is forced because its domain is
        sealed has "sealed":true. A sensitive value is "sensitive":true, and
        "title","description","controls","contributors" stand where there are any. An
        entry of a last good copy has "lastGood":true. In a binary file "line" and "column" are 0 and "offset" counts.
        "programs" says of a key of programs that do not ask this library, such as browsers, what became of it in each:
        [{"program","state":"written"|"confirmed"|"denied"|"first state only"|"not known"|"not written"|"not supported"|
        "not enforced"|"not installed"|"unknown",
        "for":"everybody"|"login sessions"|"each user","reason"}]. "written" is in the program's files, and nobody looked
        whether it obeys; "confirmed" and "denied" are its own word in the last programs check of root. "for" says who reads
        the files. Without --json, standard error says it of each that does not obey, or was not looked at.
        "shortfall" is there where the value is unknown, and "unknown" says why in words: "variable", what a variable in it
        stands for; "user", who asks, and a file for some users lists it; "policy", all of it.

        exit codes: 0 listed, or forced; 1 not forced; 2 wrong command line; 4 could not read.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let domain = try arguments.nextDomain(context)
        let key = try arguments.nextKey()
        try arguments.requireEnd()
        let domains = domain.map { SearchOrder(ofOther: $0).forcingDomains }
        guard let domains, let domain, let key else {
            let entries = try context.resultant(of: domains).forcedEntries
            let chosen = domains.map { known in entries.filter { known.contains($0.domain) } } ?? entries
            return try list(chosen, of: domain, context)
        }
        var entry = try context.decidingEntry(for: key, in: domains)
        // A domain whose policy is unknown has an entry for every key, which says nothing.
        if entry.map({ $0.shortfall == .policy }) ?? true { try context.requireKnownPolicy(of: domains) }
        if context.options.json {
            entry = try entry.map { known throws(Failure) in try context.machine().described(known) }
            var json = JSONWriter()
            json.beginObject()
            json.field("domain", domain.string)
            json.field("key", key.string)
            json.field("forced", entry != nil)
            if let entry {
                json.details(of: entry, in: try context.machine().root, isSealed: entry.isFromSeal)
                json.programs(
                    try enforcements(of: [entry], domain, context)?
                        .enforcements(domain: domain, key: key, of: try context.account().name) ?? [])
            }
            json.endObject()
            try context.print(json)
        } else {
            try context.console.line(entry == nil ? "not forced" : "forced")
            if let entry {
                try sayPrograms(of: [entry], domain, context)
                try sayDomains(of: [entry], isList: false, context)
            }
        }
        if entry == nil, context.options.facts == nil {
            _ = try context.run(as: try context.account(), of: domains) { session throws(Failure) in
                if let sentence = NameCheck.sentence(about: key, in: domain, session) { context.console.say(sentence) }
                return Context.Outcome(code: .no)
            }
        }
        return entry == nil ? .no : .success
    }

    /// Lists entries.
    ///
    /// - Parameters:
    ///   - entries: the entries.
    ///   - asked: the domain of the application; `nil` to list all domains.
    ///   - context: the options and the console.
    /// - Returns: success.
    /// - Throws: why they cannot be printed.
    private static func list(
        _ entries: [ResolvedEntry], of asked: Key?, _ context: Context
    ) throws(Failure) -> ExitCode {
        let root = try context.machine().root
        if context.options.json {
            var json = JSONWriter(pretty: true)
            let programs = try enforcements(of: entries, asked, context)
            let user = try context.account().name
            json.beginArray()
            for entry in entries {
                json.beginObject()
                json.entry(entry, in: root, isSealed: entry.isSeal)
                let domain = asked ?? entry.domain
                json.programs(programs?.enforcements(domain: domain, key: entry.key, of: user) ?? [])
                json.endObject()
            }
            json.endArray()
            try context.print(json)
            return .success
        }
        for entry in entries {
            let (domain, key) = (Printable.escape(entry.domain.string), Printable.escape(entry.key.string))
            let value = ValueText.entry(entry, isSensitive: entry.metadata.isSensitive)
            let line = entry.isSeal ? "\(domain) is sealed: no other key has a value" : "\(domain) \(key) = \(value)"
            for line in Layout.fold(line) { try context.console.line(line) }
            let copy = entry.isRecordedCopy ? " (last good copy)" : ""
            for line in entry.origin.lines(in: root, indent: 4, note: copy) { try context.console.line(line) }
        }
        try sayPrograms(of: entries, asked, context)
        try sayDomains(of: entries, isList: true, context)
        return .success
    }

    /// Finds the programs that enforce entries; `nil` if no entry is a program's.
    private static func enforcements(
        of entries: [ResolvedEntry], _ asked: Key?, _ context: Context
    ) throws(Failure) -> MachinePrograms.EnforcementIndex? {
        guard entries.contains(where: { !ProgramCatalog.programs(taking: asked ?? $0.domain).isEmpty }) else {
            return nil
        }
        let (machine, account) = (try context.machine(), try context.account())
        do {
            return try MachinePrograms(machine: machine).enforcements(of: [account])
        } catch {
            throw Failure(code: .inputOutput, message: error.description)
        }
    }

    /// Prints on standard error which domains no program is known to read; a question of one key, which scripts ask often,
    /// looks at no file for that.
    private static func sayDomains(
        of entries: [ResolvedEntry], isList: Bool, _ context: Context
    ) throws(Failure) {
        guard context.options.facts == nil else { return }
        let root = isList ? try context.root() : nil
        for sentence in NameCheck.sentences(about: entries.map(\.domain), on: root) { context.console.say(sentence) }
    }

    /// Prints on standard error which programs do not obey an entry of theirs, and why; and once for each program that it is
    /// not installed, or was not asked.
    private static func sayPrograms(of entries: [ResolvedEntry], _ asked: Key?, _ context: Context) throws(Failure) {
        guard let programs = try enforcements(of: entries, asked, context) else { return }
        let user = try context.account().name
        var (missing, open): ([Key: (title: String, count: Int)], [Key: (title: String, count: Int)]) = ([:], [:])
        for entry in entries {
            let domain = asked ?? entry.domain
            for enforcement in programs.enforcements(domain: domain, key: entry.key, of: user) {
                let (name, title) = (Key(enforcement.program.name), enforcement.program.title)
                switch enforcement.state {
                case .confirmed: continue
                case .notInstalled: missing[name, default: (title, 0)].count += 1
                case .written: open[name, default: (title, 0)].count += 1
                case .unknown:
                    context.console.say(
                        Printable.escape(
                            "Whether \(domain.string) \(entry.key.string) is in force in \(title) is unknown: "
                                + "\(enforcement.reason)."))
                case .denied, .notWritten, .notSupported, .firstState, .notKnown, .notEnforced:
                    context.console.say(
                        Printable.escape(
                            "\(domain.string) \(entry.key.string) is not in force in \(title): \(enforcement.reason)."))
                }
            }
        }
        for (_, program) in missing.sorted(by: { $0.key < $1.key }) {
            context.console.say(
                "\(program.title) is not installed here in the places where packages put it:"
                    + " \(Plural.count(program.count, "key")) \(program.count == 1 ? "is" : "are") for it.")
        }
        for (_, program) in open.sorted(by: { $0.key < $1.key }) {
            context.console.say(
                "\(Plural.count(program.count, "key")) \(program.count == 1 ? "is" : "are") written for \(program.title);"
                    + " whether it obeys was not looked at: mdefaults programs check, run by root, asks it.")
        }
    }
}

extension JSONWriter {
    /// Writes the member `programs`, or nothing if there is none.
    fileprivate mutating func programs(_ enforcements: [MachinePrograms.Enforcement]) {
        if enforcements.isEmpty { return }
        member("programs")
        beginArray()
        for enforcement in enforcements {
            beginObject()
            field("program", enforcement.program.name)
            field("state", enforcement.state.rawValue)
            field("for", enforcement.readers?.rawValue)
            if !enforcement.reason.isEmpty { field("reason", enforcement.reason) }
            endObject()
        }
        endArray()
    }
}
