import MDAuditRecord
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPropertyList

/// `policy grant`: an exception for one user and one key that ends by itself.
enum PolicyGrantVerb: Verb {
    static let name = ["policy", "grant"]
    static let summary = "free a key for a user, or force a value, for some time"
    static let usage = [
        "policy grant --for TIME|--until TIME --user NAME --reason TEXT [--yes] DOMAIN KEY [VALUE]",
        "policy grant list [--json]",
        "policy grant revoke --user NAME DOMAIN KEY",
    ]
    static let help = """
        Without VALUE the key is free for the user: neither forced, absent, sealed nor constrained, whatever file says
        so. With VALUE, which is written as for write, that value is forced for the user instead. A grant without effect
        is refused: of a key that no policy file binds for the user at any time or, with VALUE, in a domain that no
        policy, manifest or program knows.

        \(EndOption.help)
        --reason TEXT   why; it stands in the audit log, and is shown to root and the user, because it may be about
                        the user's health

        The grant is a policy file in /run/managed-defaults/policies.d, 00-grant-NUMBER.json: Enforced, with the field
        Temporary, which says when it ends and who gave it; its reason is a file of root's beside it. It ends by itself at its time, in running programs as
        well, and with the next boot at the latest; policy list shows it. revoke ends it now, whatever its name is. A
        later grant of the same key to the same user replaces it. A record of kind grant says who gave it, until when
        and why; where that cannot be stored nothing is granted. Both write the files of other programs (mdefaults
        programs list) before they end.
        While the clock is earlier than what was recorded (doctor says so), a grant counts as ended and is refused.
        An Enforced file with an earlier name, an exam for example, forces a value before a grant with VALUE: that is
        refused. A grant needs no signature where policy has to be signed: it is trusted by its place. Only root may
        grant; beneath --root, the owner of the folder. A domain that is called revoke stands behind --.

        list shows the grants of all users, found by the field Temporary of their files, and everybody may ask; reasons of
        other people are left out.

        JSON: {"file","user","domain","key","value","until","reason","by"}, with "sensitive":true in
        the place of a sensitive value; of list [{"file","user","domain","key","free":bool,"until","ended":bool,"reason",
        "by"}]; of revoke {"files":[…],"revoked":bool}; both with "programs", as policy apply has it

        exit codes: 0 granted or revoked; 1 it would have no effect, or there was nothing to revoke or to list; 2 wrong
        command line; 4 could not be written or recorded; 5 the value is none.
        """
    static let ownOptions = ["--user", "--for", "--until", "--reason"]

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        if !arguments.isNextLiteral, arguments.remaining.elementsEqual(["list"]) { return try list(context) }
        guard let name = try arguments.option("--user") else {
            throw .usage("Say to whom, with --user.", of: self)
        }
        guard !name.isEmpty else { throw .usage("--user needs a value that is not empty.", of: self) }
        let reason = try arguments.option("--reason")
        let isRevoked = !arguments.isNextLiteral && arguments.remaining.first == "revoke"
        if isRevoked { _ = arguments.next() }
        // Checks the permission before policy is read for the domain or the value.
        let installer = try TemporaryPolicyInstaller(context, to: isRevoked ? "revoke a grant" : "grant anything")
        let end: Timestamp? = isRevoked ? nil : try EndOption.parse(&arguments, context)
        guard let domain = try arguments.nextDomain(context, of: name) else {
            throw .usage("A domain is missing.", of: self)
        }
        guard let key = try arguments.nextKey() else { throw .usage("A key is missing.", of: self) }
        guard !key.string.isEmpty else { throw .usage("The key is empty.", of: self) }
        let value = arguments.remaining.isEmpty ? nil : try value(&arguments, for: key, in: domain, name, context)
        let machine = try context.machine()
        let account = try context.account(named: name)
        let grant = TemporaryPolicy.Grant(
            user: Key(account.name), uid: account.uid, domain: domain, key: key, value: value, reason: reason ?? "",
            approvedBy: TemporaryPolicyInstaller.actor(machine))
        guard let end else {
            guard reason == nil, value == nil else {
                throw .usage("revoke goes with neither --reason nor a value.", of: self)
            }
            return try revoke(grant, installer, context)
        }
        guard let reason, !reason.isBlank else { throw .usage("Say why, with --reason.", of: self) }
        let file: TemporaryPolicy
        do {
            file = try TemporaryPolicy(grant, until: end)
        } catch {
            throw TemporaryPolicyInstaller.failure(error)
        }
        if machine.moment.isClockBehind, let note = PolicyNotes.clockSentence(machine) {
            throw Failure(code: .no, message: "The grant would count as ended at once. \(note)")
        }
        // While policy is unknown, the effect of a grant is unknown too.
        try context.requireKnownPolicy()
        try requireEffect(of: grant, for: account, machine)
        try requireMeaning(of: file, in: machine.root)
        let before = machine.resultant(for: account)
        let isBound = isBound(key, in: domain, before)
        let until = machine.moment.words(for: end)
        let what = "\(domain.string) \(key.string)\(value == nil ? "" : " with a value of its own")"
        let policy = PolicyReference(id: grant.identifier, file: file.path, sha256: file.digest)
        try installer.record(
            "\(grant.approvedBy) granted \(account.name) \(what) until \(until): \(reason)", machine: machine,
            policy: policy, domain: domain, key: key)
        let (renewed, replaced) = try installer.put([file], context)
        try check(grant, file, account, renewed, installer) { () throws(Failure) in
            try installer.withdraw(replaced, context)
        }
        let programs = ProgramFiles.write(on: installer.root)
        for note in programs.notes { context.console.say(note) }
        if let note = installer.note { context.console.say(note) }
        if value == nil, !isBound {
            context.console.say(
                Printable.escape(
                    "Nothing forces, seals or constrains \(domain.string) \(key.string) for \(account.name) now; what does by"
                        + " then will not count."))
        }
        for line in remains(of: grant, before, renewed.resultant(for: account), in: machine.root) {
            context.console.say(line)
        }
        if context.options.json {
            let isSensitive = renewed.resultant(for: account).isSensitive(key, in: [domain])
            try context.print(document(grant, file, end, machine.root, programs, isSensitive: isSensitive))
        } else {
            let did = value == nil ? "is free" : "is forced to the value that was given,"
            try context.console.line(
                Printable.escape("For \(account.name), \(domain.string) \(key.string) \(did) until \(until)."))
            try context.console.line(Printable.escape(machine.root.display(file.path)))
            for line in programs.lines { try context.console.line(line) }
        }
        return programs.isUnfinished ? .inputOutput : .success
    }

    /// Lists the grants.
    private static func list(_ context: Context) throws(Failure) -> ExitCode {
        let machine = try context.machine()
        let grants = try GrantListing(TemporaryPolicyInstaller.files(machine), machine)
        if context.options.json {
            try context.print(grants.document)
        } else {
            for line in grants.lines { try context.console.line(line) }
        }
        return grants.isEmpty ? .no : .success
    }

    /// Parses the value, with a type's flag if it has one.
    private static func value(
        _ arguments: inout Arguments, for key: Key, in domain: Key, _ user: String, _ context: Context
    ) throws(Failure) -> Value {
        let request: ValueArguments.Request
        do throws(Failure) {
            request = try ValueArguments(of: self, isJSON: false, root: try context.root()).read(&arguments)
        } catch {
            let account = try context.account(named: user)
            throw SensitiveArguments.failure(error, of: key, in: domain, account, context)
        }
        guard case .set(let value) = request else {
            throw .usage("A grant gives a whole value; -array-add and -dict-add do not.", of: self)
        }
        return value
    }

    /// Refuses a grant that would have no effect, because a name is probably misspelt: with a value, in a domain that
    /// nothing knows; without, of a key that no policy file binds for the user at any time.
    private static func requireEffect(
        of grant: TemporaryPolicy.Grant, for account: Account, _ machine: PolicyInForce
    ) throws(Failure) {
        let (domain, key) = (grant.domain, grant.key)
        guard grant.value == nil else {
            guard let sentence = NameCheck.sentence(about: nil, in: domain, machine) else { return }
            let isShifted = NameCheck.sentence(about: nil, in: key, machine) == nil
            let words = "\(Printable.escape(key.string)) is a domain: a --reason of several words needs quotes."
            let hint = isShifted ? " \(words)" : ""
            throw Failure(code: .no, message: "The grant would have no effect. \(sentence)\(hint)")
        }
        let subject = machine.subject(for: account)
        let isBound = machine.policies.files.contains { file in
            guard let policy = file.policy, !policy.isGrant,
                policy.target?.mismatch(of: subject, names: machine.policies.names, inWords: false) == nil
            else { return false }
            return policy.seals.contains { $0.domain == domain }
                || policy.constraints.contains { $0.domain == domain && $0.key == key }
                || policy.entries.contains { entry in
                    entry.domain == domain && entry.key == key && (entry.level == .forced || entry.level == .absent)
                }
        }
        if isBound { return }
        let what = Printable.escape("\(domain.string) \(key.string) for \(account.name)")
        let sentence = NameCheck.sentence(about: key, in: domain, machine).map { " \($0)" } ?? ""
        throw Failure(
            code: .no,
            message: "The grant would have no effect: no policy file forces, seals or constrains \(what).\(sentence)")
    }

    /// Whether policy forces, seals or constrains a key for a user.
    private static func isBound(_ key: Key, in domain: Key, _ resultant: ResultantSet) -> Bool {
        resultant.decidingEntry(for: key, in: [domain]) != nil || resultant.constraints[domain]?[key] != nil
    }

    /// Takes a grant back and refuses it if another file decides the key nevertheless.
    private static func check(
        _ grant: TemporaryPolicy.Grant, _ file: TemporaryPolicy, _ account: Account, _ machine: PolicyInForce,
        _ installer: TemporaryPolicyInstaller, withdraw: () throws(Failure) -> Void
    ) throws(Failure) {
        let winner: ResolvedEntry?
        if grant.value == nil {
            winner = machine.decidingEntry(for: grant.key, in: [grant.domain, DomainName.global], of: account)
            if winner == nil { return }
        } else {
            winner = machine.resultant(for: account).forced[grant.domain]?[grant.key]
            if Key(winner?.origin.file ?? "") == Key(file.path) { return }
        }
        try withdraw()
        let place = Printable.escape(
            winner.map { "\(machine.root.display($0.origin.file)):\($0.origin.position)" } ?? "another policy file")
        let key = Printable.escape(grant.key.string)
        let message =
            if grant.value != nil {
                "The value would have no effect: \(place) decides this key. Without a value the grant frees the key."
            } else if winner?.domain == DomainName.global, grant.domain != DomainName.global {
                "The grant would have no effect: \(place) forces \(key) of NSGlobalDomain, for every application. Grant"
                    + " NSGlobalDomain \(key) first."
            } else {
                "The grant would have no effect: \(place) forces the key all the same."
            }
        try installer.record(
            "The grant of \(grant.domain.string) \(grant.key.string) to \(account.name) was taken back: \(message)",
            machine: machine, domain: grant.domain, key: grant.key)
        throw Failure(code: .no, message: message)
    }

    /// Ends a grant.
    private static func revoke(
        _ grant: TemporaryPolicy.Grant, _ installer: TemporaryPolicyInstaller, _ context: Context
    ) throws(Failure) -> ExitCode {
        let machine = try context.machine()
        let files = try TemporaryPolicyInstaller.files(machine).filter { grant.isGiven(by: $0.policy) }
        if let first = files.first {
            try installer.end(files.map(\.name), "The grant")
            try installer.record(
                "\(grant.approvedBy) stopped the grant of \(grant.domain.string) \(grant.key.string) to "
                    + "\(grant.user.string)", machine: machine,
                policy: PolicyReference(
                    id: first.policy.identifier, file: "\(TemporaryPolicy.directory)/\(first.name)"),
                domain: grant.domain, key: grant.key)
        }
        let programs = files.isEmpty ? nil : ProgramFiles.write(on: installer.root)
        for note in programs?.notes ?? [] { context.console.say(note) }
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.beginObject()
            let paths = files.map { machine.root.display("\(TemporaryPolicy.directory)/\($0.name)") }
            json.field("files", .array(paths.map { .string($0) }))
            json.field("revoked", !files.isEmpty)
            programs?.write(to: &json)
            json.endObject()
            try context.print(json)
        } else {
            let what = "\(grant.domain.string) \(grant.key.string)"
            try context.console.line(
                Printable.escape(
                    files.isEmpty
                        ? "\(grant.user.string) has no grant of \(what)."
                        : "The grant of \(what) to \(grant.user.string) is over."))
            for line in programs?.lines ?? [] { try context.console.line(line) }
        }
        if programs?.isUnfinished == true { return .inputOutput }
        return files.isEmpty ? .no : .success
    }

    /// The output of `policy grant --json`.
    private static func document(
        _ grant: TemporaryPolicy.Grant, _ file: TemporaryPolicy, _ end: Timestamp, _ root: Root,
        _ programs: ProgramFiles,
        isSensitive: Bool
    ) -> JSONWriter {
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.field("file", root.display(file.path))
        json.field("user", grant.user.string)
        json.field("domain", grant.domain.string)
        json.field("key", grant.key.string)
        if isSensitive, grant.value != nil {
            json.field("sensitive", true)
        } else {
            json.field("value", grant.value)
        }
        json.field("until", end.rfc3339)
        json.field("reason", grant.reason)
        json.field("by", grant.approvedBy)
        programs.write(to: &json)
        json.endObject()
        return json
    }
}
