import MDCare
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
        "policy grant --for TIME|--until TIME --user NAME --reason TEXT [--until-boot] [--yes] DOMAIN KEY"
            + " [VALUE]",
        "policy grant list [--json]",
        "policy grant revoke --user NAME DOMAIN KEY",
    ]
    static let help = """
        Without VALUE the key is free for the user: neither forced, absent, sealed nor constrained, whatever file says
        so. With VALUE, which is written as for write, that value is forced for the user instead. A grant without effect
        is refused: of a key that no policy file binds for the user at any time or, with VALUE, in a domain that no
        policy, manifest or program knows.

        \(EndOption.help)
        --until-boot    let the next boot end it
        --reason TEXT   why; it stands in the audit log, and is shown to root and the user, because it may be about
                        the user's health

        The grant is a policy file in /var/lib/managed-defaults/temporary and in /run/managed-defaults/policies.d,
        00-grant-NUMBER.json: Enforced, with the field Temporary, which says when it ends and who gave it; its reason is a file
        of root's. It ends by itself at its time, in running programs as well; a boot does not end it; policy list shows it. revoke ends it now, whatever its name is. A
        later grant of the same key to the same user replaces it. A record of kind grant says who gave it, until when
        and why; where that cannot be stored nothing is granted. Both write the files of other programs (mdefaults
        programs list) before they end.
        While the clock is earlier than what was recorded (doctor says so), a grant counts as ended and is refused.
        An Enforced file with an earlier name, an exam for example, forces a value before a grant with VALUE: that is
        refused. A grant needs no signature where policy has to be signed: it is trusted by its place. Only root may
        grant; beneath --root, the owner of the folder; and delegates, what policy delegates shows. A domain that is called revoke stands behind --.

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
        let root = try context.root()
        let isDelegated = try DelegateClient.isNeeded(root, to: isRevoked ? "revoke a grant" : "grant anything")
        let isUntilBoot = arguments.flag("--until-boot")
        let end: Timestamp? = isRevoked ? nil : try EndOption.parse(&arguments, context).end
        guard let domain = try arguments.nextDomain(context, of: name) else {
            throw .usage("A domain is missing.", of: self)
        }
        guard let key = try arguments.nextKey() else { throw .usage("A key is missing.", of: self) }
        guard !key.string.isEmpty else { throw .usage("The key is empty.", of: self) }
        if isDelegated {
            guard arguments.remaining.isEmpty else {
                throw Failure(code: .no, message: "A delegate frees a key; only root gives it another value.")
            }
            let action: DelegateRequest.Action =
                isRevoked
                ? .revoke(user: name, domain: domain, key: key) : .grant(user: name, domain: domain, key: key)
            var request = DelegateRequest(action)
            (request.until, request.reason, request.endsWithBoot) = (end, reason ?? "", isUntilBoot)
            return try DelegateClient.ask(request, context)
        }
        let value = arguments.remaining.isEmpty ? nil : try value(&arguments, for: key, in: domain, name, context)
        let machine = try context.machine()
        let request = GrantRequest(
            account: try context.account(named: name), domain: domain, key: key, value: value, reason: reason ?? "",
            by: try context.actor(), isUntilBoot: isUntilBoot)
        if let end {
            guard let reason, !reason.isBlank else { throw .usage("Say why, with --reason.", of: self) }
            return try give(request, until: end, machine, context)
        }
        guard reason == nil, value == nil else {
            throw .usage("revoke goes with neither --reason nor a value.", of: self)
        }
        return try revoke(request, machine, context)
    }

    /// Gives a grant.
    private static func give(
        _ request: GrantRequest, until end: Timestamp, _ machine: PolicyInForce, _ context: Context
    ) throws(Failure) -> ExitCode {
        let given: GrantControl.Given
        do throws(TemporaryPolicyError) {
            given = try GrantControl(machine: machine).give(request, until: end)
        } catch {
            throw .of(error, self)
        }
        let programs = ProgramFiles(root: machine.root, isPreview: false, result: given.programs)
        for note in programs.notes + given.notes { context.console.say(note) }
        if context.options.json {
            try context.print(document(given, programs))
        } else {
            let did = given.grant.value == nil ? "is free" : "is forced to the value that was given,"
            let what = "\(request.domain.string) \(request.key.string)"
            try context.console.line(
                Printable.escape("For \(request.account.name), \(what) \(did) until \(given.until)."))
            try context.console.line(Printable.escape(given.file))
            for line in programs.lines { try context.console.line(line) }
        }
        return programs.isUnfinished ? .inputOutput : .success
    }

    /// Lists the grants.
    private static func list(_ context: Context) throws(Failure) -> ExitCode {
        let machine = try context.machine()
        let grants: GrantListing
        do throws(TemporaryPolicyError) {
            grants = try GrantListing(TemporaryPolicyInstaller.files(machine), machine)
        } catch {
            throw .of(error, self)
        }
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

    /// Ends a grant.
    private static func revoke(
        _ request: GrantRequest, _ machine: PolicyInForce, _ context: Context
    ) throws(Failure) -> ExitCode {
        let revoked: GrantControl.Revoked
        do throws(TemporaryPolicyError) {
            revoked = try GrantControl(machine: machine).revoke(request)
        } catch {
            throw .of(error, self)
        }
        let programs = revoked.programs.map { ProgramFiles(root: machine.root, isPreview: false, result: $0) }
        for note in programs?.notes ?? [] { context.console.say(note) }
        if context.options.json {
            var json = JSONWriter(pretty: true)
            json.beginObject()
            json.field("files", .array(revoked.files.map { .string($0) }))
            json.field("revoked", !revoked.files.isEmpty)
            programs?.write(to: &json)
            json.endObject()
            try context.print(json)
        } else {
            let (what, user) = ("\(request.domain.string) \(request.key.string)", request.account.name)
            try context.console.line(
                Printable.escape(
                    revoked.files.isEmpty
                        ? "\(user) has no grant of \(what)." : "The grant of \(what) to \(user) is over."))
            for line in programs?.lines ?? [] { try context.console.line(line) }
        }
        if programs?.isUnfinished == true { return .inputOutput }
        return revoked.files.isEmpty ? .no : .success
    }

    /// The output of `policy grant --json`.
    private static func document(_ given: GrantControl.Given, _ programs: ProgramFiles) -> JSONWriter {
        let grant = given.grant
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.field("file", given.file)
        json.field("user", grant.user.string)
        json.field("domain", grant.domain.string)
        json.field("key", grant.key.string)
        if given.isSensitive, grant.value != nil {
            json.field("sensitive", true)
        } else {
            json.field("value", grant.value)
        }
        json.field("until", given.end.rfc3339)
        json.field("reason", grant.reason)
        json.field("by", grant.approvedBy)
        programs.write(to: &json)
        json.endObject()
        return json
    }
}
