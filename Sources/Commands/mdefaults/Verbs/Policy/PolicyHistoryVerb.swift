import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// `policy history`: the generations of the policy directory.
enum PolicyHistoryVerb: Verb {
    static let name = ["policy", "history"]
    static let summary = "list the generations of the policy files that are kept"
    static let usage = ["policy history [--json]"]
    static let help = """
        Every generation that policy apply and policy rollback kept, the newest last: its number, when it was recorded
        and by whom (behind a slash who had logged in, where that is somebody else), why, its digest, and the names that
        came, changed or went. A star marks the one that lies in /etc/managed-defaults/policies.d now.

        JSON: [{"generation","time","uid","user","loginUID","loginUser","note","digest","files","inPlace":bool,
        "changes":[{"change":"added"|"changed"|"removed","name"}]}]
        "digest" is a SHA-256 of names and contents; "files" counts files, signatures and links. A generation whose
        manifest is damaged has "generation" and "damaged", a sentence, alone.

        exit codes: 0 listed; 1 a manifest is damaged; 2 wrong command line; 4 could not read.
        """

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        try arguments.requireEnd()
        let root = try context.root()
        let store = GenerationStore(root: root)
        if let failure = store.failure {
            throw Failure(code: .inputOutput, message: "The generations cannot be read: \(failure).")
        }
        let accounts = AccountDatabase(root: root)
        let now = Moment(time: Clock.now(), zones: ZoneDatabase(root: root))
        let inPlace = PolicyStore(root: root).generationInPlace()
        var (json, code) = (JSONWriter(pretty: true), ExitCode.success)
        json.beginArray()
        for number in store.numbers {
            let generation: Generation
            do throws(StoredFileError) {
                generation = try store.generation(number)
            } catch {
                code = .no
                guard context.options.json else {
                    context.console.say(Printable.escape("\(error)."))
                    continue
                }
                json.beginObject()
                json.field("generation", number)
                json.field("damaged", error.description)
                json.endObject()
                continue
            }
            if context.options.json {
                write(generation, accounts, isInPlace: number == inPlace, to: &json)
            } else {
                try print(generation, accounts, isInPlace: number == inPlace, now, context.console)
            }
        }
        json.endArray()
        if context.options.json {
            try context.print(json)
        } else if store.numbers.isEmpty {
            try context.console.line("There are no generations yet; policy apply keeps the first one.")
        }
        return code
    }

    /// Prints a generation for people.
    private static func print(
        _ generation: Generation, _ accounts: AccountDatabase, isInPlace: Bool, _ now: Moment,
        _ console: Console
    ) throws(Failure) {
        var who = accounts.name(of: generation.uid, at: generation.time) ?? "uid \(generation.uid)"
        if let login = generation.loginUID, login != generation.uid {
            who += "/" + (accounts.name(of: login, at: generation.time) ?? "uid \(login)")
        }
        let time = now.words(for: generation.time)
        let head =
            "\(isInPlace ? "*" : " ") \(generation.number)  \(time)  \(who)  \(generation.note)"
            + "  \(generation.digest.hex.prefix(16))"
        for line in Layout.fold(Printable.escape(head), indent: 6) { try console.line(line) }
        for change in generation.changes {
            let row = Printable.escape("      \(change.kind.rawValue) \(change.name.string)")
            for line in Layout.fold(row) { try console.line(line) }
        }
    }

    /// Writes a generation as JSON.
    private static func write(
        _ generation: Generation, _ accounts: AccountDatabase, isInPlace: Bool, to json: inout JSONWriter
    ) {
        json.beginObject()
        json.field("generation", generation.number)
        json.field("time", generation.time.rfc3339)
        json.field("uid", Int(generation.uid))
        json.field("user", accounts.name(of: generation.uid, at: generation.time))
        json.field("loginUID", generation.loginUID.map { Int($0) })
        json.field("loginUser", generation.loginUID.flatMap { accounts.name(of: $0, at: generation.time) })
        json.field("note", generation.note)
        json.field("digest", generation.digest.hex)
        json.field("files", generation.entries.count)
        json.field("inPlace", isInPlace)
        json.member("changes")
        json.beginArray()
        for change in generation.changes {
            json.beginObject()
            json.field("change", change.kind.rawValue)
            json.field("name", change.name.string)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }
}
