import Engine
import Platform
import Policy
import PropertyList

/// Options, console, and the machine and user that verbs open on demand.
final class Context {
    /// The options before the verb.
    let options: GlobalOptions
    /// Standard output and error.
    let console: Console
    /// The folder of `--root`, or this machine's, once opened.
    private var openedRoot: Root?
    /// The machine, once opened.
    private var openedMachine: PolicyMachine?

    /// Makes a context; nothing is opened yet.
    init(options: GlobalOptions, console: Console) {
        self.options = options
        self.console = console
    }

    /// The machine of `--root`, or this one.
    ///
    /// Problems of its policy are said on standard error once: what is not in force, or only by its last good copy.
    ///
    /// - Parameter saying: whether the problems are said; not if the output names them all.
    /// - Returns: the machine; the same one each time.
    /// - Throws: a failure where the folder of `--root` cannot be opened.
    func machine(saying: Bool = true) throws(Failure) -> PolicyMachine {
        if let openedMachine { return openedMachine }
        let machine = PolicyMachine(
            root: try root(), host: options.host, at: options.at, facts: try facts(), isSpread: true)
        openedMachine = machine
        // Of a machine whose compiled table is of files that are all in force there is nothing to say.
        guard saying, !machine.isSound else { return machine }
        for sentence in PolicyNotes.sentences(about: machine.policies) { console.say(sentence) }
        return machine
    }

    /// Says on standard error that the clock is behind, if that changed what policy says.
    func sayClock() {
        if let sentence = openedMachine.flatMap(ClockNote.sentence) { console.say(sentence) }
    }

    /// Says on standard error whose groups the directory service did not tell, where policy asked for them.
    func sayGroups() {
        if let sentence = openedMachine?.unknownGroups { console.say(sentence) }
    }

    /// The folder of `--root`, or this machine's, without its policy.
    func root() throws(Failure) -> Root {
        if let openedMachine { return openedMachine.root }
        if let openedRoot { return openedRoot }
        let root: Root
        do {
            root = try PolicyMachine.root(of: options.root)
        } catch {
            throw Context.failure(error)
        }
        try takeOnOwner(of: root)
        openedRoot = root
        return root
    }

    /// The user of `--user`, or the caller.
    func account() throws(Failure) -> Account { try account(named: nil) }

    /// The user of a name, or of `--user`, or the caller.
    private func account(named name: String?) throws(Failure) -> Account {
        let machine = try machine()
        do {
            return try machine.account(named: name ?? options.user)
        } catch {
            throw Context.failure(error)
        }
    }

    /// The domain that a word names.
    ///
    /// Where something is forced in a domain of exactly this name, that one is meant, as in lists and by an application of
    /// that name; nothing is asked of policy for a word that could mean no other.
    ///
    /// - Parameters:
    ///   - word: the word.
    ///   - user: the user who is asked about; `nil` for that of `--user`, or the caller.
    /// - Returns: the domain, which may have a name that none can have.
    /// - Throws: a failure where machine or user are not to be had.
    func domain(of word: String, user: String? = nil) throws(Failure) -> Key {
        guard DomainWord.isAmbiguous(word) else { return DomainWord.key(word) }
        let exact = Key(word)
        let forced = try machine().resultant(for: try account(named: user)).forcedEntries
        return forced.contains { $0.domain == exact } ? exact : DomainWord.key(word)
    }

    /// The settings of the user of `--user`, or of the caller.
    func session() throws(Failure) -> UserSession {
        UserSession(machine: try machine(), account: try account())
    }

    /// Refuses to say that nothing is forced, or to write as if it were so, while nobody can tell.
    func requireCertainty() throws(Failure) {
        if let reason = try machine().uncertainty {
            throw Failure(code: .inputOutput, message: PolicyMachine.sentence(ofUncertainty: reason))
        }
    }

    /// What policy says for the user; the user's files are not touched.
    func resultant() throws(Failure) -> ResultantSet {
        let machine = try machine()
        try requireCertainty()
        return machine.describedResultant(for: try account())
    }

    /// The forced or absent entry that decides lookups of a key for the user; nothing else is resolved.
    func decidingEntry(for key: Key, in domains: [Key]) throws(Failure) -> ResolvedEntry? {
        try machine().decidingEntry(for: key, in: domains, of: try account())
    }

    /// Prints a JSON document and a line feed.
    func print(_ writer: JSONWriter) throws(Failure) {
        try console.write(TerminalText.json(writer.utf8))
        try console.line()
    }

    /// The failure that an unopened machine or user means.
    static func failure(_ error: SessionError) -> Failure {
        Failure(code: error.isUsage ? .usage : .inputOutput, message: error.description)
    }
}
