import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPrograms
import MDPropertyList
import MDTools

/// What a verb works with: options, console, and the machine and user, which are opened on demand.
final class Context {
    /// The options before the verb.
    let options: GlobalOptions
    /// Standard output and error.
    let console: Console
    /// The folder of `--root`, or this machine's, once opened.
    private var openedRoot: Root?
    /// The machine, once opened.
    private var openedMachine: PolicyInForce?

    /// The moment that replaces the clock, set by reports before anything asks for the time; `nil` for the clock.
    var givenClock: Timestamp?

    /// The delegate for whom root's part works; `nil` for the caller.
    var delegate: TemporaryPolicyActor?

    /// The moment of `--at`, once it was asked for.
    private var resolvedTime: Timestamp?

    /// Whether the verb reads values only: then problems of policy are shown only to users that can mend them.
    private let isQuiet: Bool

    /// Makes a context; opens nothing.
    init(options: GlobalOptions, console: Console, isQuiet: Bool = false) {
        self.options = options
        self.console = console
        self.isQuiet = isQuiet
    }

    /// Whether the caller may mend policy.
    private func mayWritePolicy(_ machine: PolicyInForce) -> Bool { PolicyStore(root: machine.root).mayWrite }

    // MARK: Machine and user

    /// Opens the machine of `--root`, or this one, and prints once which files of its policy are not in force as written.
    ///
    /// - Parameters:
    ///   - saying: whether to print that; false if the output of the verb names all problems.
    ///   - known: the policy, if the verb has just read it.
    /// - Returns: the machine; the same one each time.
    /// - Throws: a failure if the folder of `--root` cannot be opened.
    func machine(saying: Bool = true, known: PolicySet? = nil) throws(Failure) -> PolicyInForce {
        if let openedMachine { return openedMachine }
        let root = try root()
        let machine = PolicyMachine(
            root: root, host: options.host, facts: try facts(), expanding: .commonSettings(of: root)
        ).policy(at: try at() ?? givenClock, known: options.facts == nil ? known : nil)
        openedMachine = machine
        // A sound machine has no problems, and asking for its files would read them all.
        guard saying, !isQuiet || mayWritePolicy(machine), !machine.isSound else { return machine }
        if let sentence = machine.absence ?? PolicyNotes.summary(of: machine.policies) { console.say(sentence) }
        return machine
    }

    /// The moment of `--at`; `nil` without it.
    ///
    /// An hour, a weekday or a distance lies ahead. The first call says what was understood.
    func at() throws(Failure) -> Timestamp? {
        if let resolvedTime { return resolvedTime }
        guard let (text, expression) = options.at else { return nil }
        resolvedTime = try TimeArgument.resolve("--at", text, expression, .ahead, from: givenClock, in: self)
        return resolvedTime
    }

    /// Whether the machine is this one, also where `--root` names its top folder.
    func isSystem() throws(Failure) -> Bool {
        let root = try root()
        guard !root.isSystem else { return true }
        let (own, top) = (
            try? root.status("/", followingLinks: true), try? Root.system.status("/", followingLinks: true)
        )
        return own.map { ($0.device, $0.inode) == (top?.device, top?.inode) } ?? false
    }

    /// Opens the folder of `--root`, or of this machine, without reading its policy.
    func root() throws(Failure) -> Root {
        if let openedMachine { return openedMachine.root }
        if let openedRoot { return openedRoot }
        let root: Root
        do {
            root = try PolicyMachine.root(of: options.root)
        } catch {
            throw Context.failure(error)
        }
        try assumeOwner(of: root)
        openedRoot = root
        return root
    }

    /// Assumes the ids of a folder's owner for good if root works on another user's folder.
    ///
    /// Links that the owner has put into the folder then lead only to what the owner can access.
    private func assumeOwner(of folder: Root) throws(Failure) {
        guard !folder.isSystem, folder.owner != 0, CurrentProcess.uid == 0 else { return }
        do throws(SystemError) {
            try CurrentProcess.assume(uid: folder.owner, gid: folder.group, groups: [])
        } catch {
            throw Context.failure(.root(error))
        }
    }

    /// Reads the file of `--facts` about another host; `nil` without the option.
    ///
    /// - Throws: exit 4 if the file cannot be read, exit 5 with its place if it does not parse.
    private func facts() throws(Failure) -> HostFacts? {
        guard let word = options.facts else { return nil }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes =
                word == "-"
                ? try StandardInput.readAll(limit: HostFacts.sizeLimit)
                : try Root.system.read(try CallerPath.absolute(word), limit: HostFacts.sizeLimit).bytes
        } catch {
            throw .of(error)
        }
        do {
            let facts = try HostFacts(reading: bytes)
            if facts.timeZone == nil {
                console.say(
                    "\(Printable.escape(word)) has no TimeZone, so windows that name no zone are taken as this machine's."
                )
            }
            return facts
        } catch {
            throw Failure(code: .badInput, message: "\(Printable.escape(word)):\(error.position): \(error.message).")
        }
    }

    /// The person who starts or ends temporary policy.
    func actor() throws(Failure) -> TemporaryPolicyActor {
        if let delegate { return delegate }
        return .caller(on: try machine())
    }

    /// Finds the user of `--user`, or the caller.
    func account() throws(Failure) -> Account { try account(named: nil) }

    /// Finds the user of a name or, without one, of `--user`, or the caller.
    func account(named name: String?) throws(Failure) -> Account {
        let machine = try machine()
        do {
            return try machine.account(named: name ?? options.user)
        } catch {
            throw Context.failure(error)
        }
    }

    /// Makes the session of the user of `--user`, or of the caller.
    func session() throws(Failure) -> UserSession {
        UserSession(machine: try machine(), account: try account())
    }

    /// The files of a domain that `-currentHost`, or `-host` and its name, select.
    ///
    /// - Throws: exit 4 for another host.
    func scope() throws(Failure) -> HostScope {
        guard let name = options.namedHost else { return options.currentHost ? .thisHost : .anyHost }
        let machine = try machine()
        let names = [machine.host.short, machine.host.full, "localhost", Machine.machineID(root: machine.root)]
        let asked = name.lowercased()
        guard names.contains(where: { $0?.lowercased() == asked }) else {
            throw Failure(
                code: .inputOutput,
                message: "\(Printable.escape(name)) is not this machine, which is called "
                    + "\(Printable.escape(machine.host.full)); the policy of another one is not known here, so what is "
                    + "stored for it is left alone.")
        }
        return .thisHost
    }

    // MARK: Policy

    /// Refuses to go on while policy is unknown, because an answer "not forced", or a write, could be wrong.
    ///
    /// - Parameter domains: the domains that the answer is about; `nil` for all.
    /// - Throws: exit 4 with the reason.
    func requireKnownPolicy(of domains: [Key]? = nil) throws(Failure) {
        let knowledge = try machine().knowledge
        if let reason = domains.map({ knowledge.failure(in: $0) }) ?? knowledge.failure {
            throw Failure(code: .inputOutput, message: PolicyKnowledge.sentence(of: reason))
        }
    }

    /// The resultant set of the user, with the descriptions that manifests give of its keys; does not read the user's
    /// files.
    ///
    /// - Parameter domains: the domains that it is needed for; `nil` for all.
    /// - Returns: the set.
    /// - Throws: exit 4 while the policy of one of them is unknown.
    func resultant(of domains: [Key]? = nil) throws(Failure) -> ResultantSet {
        let machine = try machine()
        try requireKnownPolicy(of: domains)
        return machine.describedResultant(for: try account())
    }

    /// The forced or absent entry that decides lookups of a key for the user; resolves no other key.
    func decidingEntry(for key: Key, in domains: [Key]) throws(Failure) -> ResolvedEntry? {
        try machine().decidingEntry(for: key, in: domains, of: try account())
    }

    /// Resolves the domain that a word means.
    ///
    /// If something is forced in a domain of exactly this name, that one is meant, as in lists and by an application of
    /// that name. Reads policy only for a word that could mean two domains.
    ///
    /// - Parameters:
    ///   - word: the word.
    ///   - user: the user that the verb is about; `nil` for that of `--user`, or the caller.
    /// - Returns: the domain; its name is not checked.
    /// - Throws: a failure if machine or user cannot be opened.
    func domain(of word: String, user: String? = nil) throws(Failure) -> Key {
        guard DomainNotation.isAmbiguous(word) else { return DomainNotation.domain(word) }
        let exact = Key(word)
        let forced = try machine().resultant(for: try account(named: user)).forcedEntries
        return forced.contains { $0.domain == exact } ? exact : DomainNotation.domain(word)
    }

    // MARK: Work with the ids of a user

    /// The result of work with the ids of a user.
    struct Outcome {
        /// The exit code.
        var code: ExitCode
        /// The result for the caller of the work; root never parses it.
        var bytes: [UInt8] = []
    }

    /// Works on a user's settings.
    ///
    /// If root does so for another user on the running system, the work is done in a child that assumes that user's ids
    /// before it opens the first path in the home: links there then lead only to what the user can access.
    ///
    /// - Parameters:
    ///   - account: the user.
    ///   - domains: the domains that the work is about, `nil` for all: it is refused while their policy is unknown.
    ///   - isDescribed: whether the session has what manifests say of keys.
    ///   - requiresKnownPolicy: whether to refuse the work then; if not, `work` checks it itself.
    ///   - work: opens, reads, writes and prints.
    /// - Returns: what `work` returned.
    /// - Throws: what `work` threw, or why there is no child.
    func run(
        as account: Account, of domains: [Key]? = nil, isDescribed: Bool = false, requiresKnownPolicy: Bool = true,
        _ work: (UserSession) throws(Failure) -> Outcome
    ) throws(Failure) -> Outcome {
        let machine = try machine()
        if requiresKnownPolicy { try requireKnownPolicy(of: domains) }
        // Made before the ids change, so that root's environment is not used as the user's; it opens nothing.
        let session = UserSession(
            machine: machine, account: account,
            resultant: isDescribed ? machine.describedResultant(for: account) : nil)
        return try run(uid: account.uid, gid: account.gid, groups: machine.rights(of: account)) {
            () throws(Failure) in try work(session)
        }
    }

    /// Works with the ids of a file's owner; in this process if that is root, or the caller is not.
    ///
    /// A child is ended after some seconds.
    func run(
        uid: UInt32, gid: UInt32, groups: @autoclosure () -> [UInt32], seconds: Double = ForkedChild.Bounds().seconds,
        _ work: () throws(Failure) -> Outcome
    ) throws(Failure) -> Outcome {
        // With facts about another host no file of a user is opened.
        let machine = try machine()
        guard CurrentProcess.uid == 0, uid != 0, machine.root.isSystem, machine.facts == nil else { return try work() }
        try console.flush()
        // Reads with root's rights whatever the child may ask for.
        machine.complete()
        let answer: [UInt8]
        do {
            answer = try ForkedChild.run(
                as: ForkedChild.Owner(uid: uid, gid: gid, groups: groups()), ForkedChild.Bounds(seconds: seconds)
            ) {
                do throws(Failure) {
                    let outcome = try work()
                    try console.flush()
                    return [0, UInt8(truncatingIfNeeded: outcome.code.rawValue)] + outcome.bytes
                } catch {
                    let code = UInt8(truncatingIfNeeded: error.code.rawValue)
                    return [error.isPlain ? 2 : 1, code] + Array(error.message.utf8)
                }
            }
        } catch {
            throw Failure(code: .inputOutput, message: "\(error).")
        }
        guard answer.count >= 2, let code = ExitCode(rawValue: Int32(answer[1])) else {
            throw Failure(code: .inputOutput, message: "The child that acted as uid \(uid) gave no answer.")
        }
        let rest = Array(answer.dropFirst(2))
        if answer[0] == 0 { return Outcome(code: code, bytes: rest) }
        throw Failure(code: code, message: String(decoding: rest, as: UTF8.self), isPlain: answer[0] == 2)
    }

    // MARK: Output

    /// Prints on standard error that the clock is behind, if that changed an answer of policy.
    func sayClock() {
        if let sentence = openedMachine.flatMap(PolicyNotes.clockSentence) { console.say(sentence) }
    }

    /// Prints on standard error whose groups are unknown, if policy asked for them.
    func sayUnknownGroups() {
        if let sentence = openedMachine?.unknownGroups { console.say(sentence) }
    }

    /// Prints a JSON document and a line feed.
    func print(_ writer: JSONWriter) throws(Failure) {
        try console.write(TerminalText.json(writer.utf8))
        try console.line()
    }

    /// Prints a value as Apple's tool does or, with `--json`, as JSON.
    ///
    /// Programs get a string byte for byte; on a terminal its control characters are escaped, because settings come from
    /// untrusted places.
    func print(_ value: Value) throws(Failure) {
        if options.json {
            var json = JSONWriter(pretty: true)
            json.value(value)
            return try print(json)
        }
        guard case .string(let text) = value else { return try console.line(OpenStepWriter.description(of: value)) }
        guard StandardStream.output.isTerminal else { return try console.line(text) }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        try console.line(lines.map { Printable.escape(String($0)) }.joined(separator: "\n"))
    }

    /// The failure for a machine or user that cannot be opened.
    static func failure(_ error: SessionError) -> Failure {
        Failure(code: error.isUsage ? .usage : .inputOutput, message: error.description)
    }
}
