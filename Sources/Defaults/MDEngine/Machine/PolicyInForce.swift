import MDAuditClient
package import MDPlatform
package import MDPolicyCore
package import MDPolicyModel
package import MDPolicyStore
package import MDPropertyList

/// The policy of a machine at one moment, and its users then.
///
/// It is a value: what changes on the machine later changes nothing of it. Its parts are read when they are first
/// needed, so a moment begins with its first question.
package struct PolicyInForce: Sendable {
    /// The machine.
    package let machine: PolicyMachine
    /// Its users and groups.
    let users: MachineAccounts
    /// The compiled table or the policy files.
    private let sources: Sources
    /// The host's name, or the one that was asked for.
    package let host: HostName
    /// The moment that policy is asked about.
    package let moment: Moment
    /// The identity of the caller outside of its user namespace.
    let stamp = CallerStamp()

    /// Reads what decides which files have to be read.
    ///
    /// - Parameters:
    ///   - machine: the machine.
    ///   - time: the moment to ask for; `nil` for now.
    ///   - known: the policy files, if the caller has just read them.
    init(of machine: PolicyMachine, at time: Timestamp?, known: PolicySet?) {
        self.machine = machine
        let (root, facts) = (machine.root, machine.facts)
        let (now, floor) = (time ?? Clock.now(), time == nil && facts == nil ? TimeFloor(root: root) : nil)
        users = MachineAccounts(root: root, facts: facts)
        let sources = Sources(root: root, accounts: users, expansion: machine.expansion, known: known)
        self.sources = sources
        moment = Moment(time: now, floor: floor, zones: ZoneDatabase(root: root, localZone: facts?.timeZone?.string))
        host =
            machine.requestedHost.flatMap({ HostName($0) }) ?? facts?.host ?? sources.table?.host
            ?? sources.policies.hostName ?? Machine.hostName(root: root)
    }

    /// The root of the machine.
    package var root: Root { machine.root }
    /// What is known of another host, if that is asked for.
    package var facts: HostFacts? { machine.facts }

    /// Its users and groups, read when first asked for.
    package var accounts: AccountDatabase { users.database }

    /// The policy files, as they are in force; if the compiled table agrees with them, read when first asked for.
    package var policies: PolicySet { sources.policies }
    /// The keys that policy or a manifest calls sensitive, for whatever user; all of them while policy is unknown.
    package var sensitiveKeys: ManifestSecrets { ManifestSecrets(of: policies, root: root) }

    /// Whether there can be policy at all.
    package var isManaged: Bool { sources.isManaged }

    /// The files that the record of policy names, and whether any file is in force.
    var evidence: (record: RecordedFiles, hasFiles: Bool) {
        // A table is made of what is recorded.
        if let table = sources.table { return (table.hasFiles ? .some : .none, table.hasFiles) }
        return (policies.recorded, policies.files.contains { $0.policy != nil })
    }

    /// Whether policy comes from the compiled table, and every file is in force as it is: then there is nothing to say
    /// about any.
    package var isSound: Bool { sources.table?.isSound ?? false }

    /// What policy leaves for a user.
    package func resultant(for account: Account) -> ResultantSet {
        // Nothing is asked of the kernel for a machine without policy.
        guard isManaged else { return ResultantSet() }
        return tableResultant(for: account, in: nil) ?? sourceResultant(for: account)
    }

    /// What the compiled table leaves for a user; `nil` if there is none that agrees with its sources, or it does not
    /// read, so that the sources have to answer.
    ///
    /// - Parameters:
    ///   - account: the user.
    ///   - domains: the domains that are asked about; `nil` for all, with reasons for each file.
    /// - Returns: what is left in these domains.
    func tableResultant(for account: Account, in domains: Set<Key>?) -> ResultantSet? {
        guard let table = sources.table else { return nil }
        guard let domains else { return try? table.resolve(for: subject(for: account)) }
        return try? table.resolve(for: plainSubject(for: account), in: domains, ownTags: true)
    }

    /// What the policy files leave for a user.
    func sourceResultant(for account: Account) -> ResultantSet {
        isManaged ? policies.resolve(for: subject(for: account)) : ResultantSet()
    }

    /// What policy leaves for a user, with what manifests say of keys: for people, not for lookups.
    package func describedResultant(for account: Account) -> ResultantSet {
        described(resultant(for: account))
    }

    /// A resultant set with the descriptions that manifests give of its keys.
    private func described(_ resultant: ResultantSet) -> ResultantSet {
        resultant.described(by: sources.manifests(of: resultant.describedDomains))
    }

    /// What manifests say of the keys of some domains.
    package func manifests(of domains: Set<Key>) -> ManifestSet { sources.manifests(of: domains) }

    /// An entry with the description that manifests give of its key: for people, not for lookups.
    package func described(_ entry: ResolvedEntry) -> ResolvedEntry {
        entry.described(by: sources.manifests(of: [entry.domain]))
    }

    /// The forced or absent entry that decides lookups of a key in some domains for a user, or `nil`.
    ///
    /// From the compiled table, nothing but this key is resolved.
    package func decidingEntry(for key: Key, in domains: [Key], of account: Account) -> ResolvedEntry? {
        if let table = sources.table {
            let (subject, unknown) = (plainSubject(for: account), table.knowledge.unknownDomains)
            do throws(StoredFileError) {
                return try ResolvedEntry.deciding(among: domains.count) { index throws(StoredFileError) in
                    if let reason = unknown[domains[index]] { return .unknown(in: domains[index], because: reason) }
                    return try table.forcedEntry(domain: domains[index], key: key, for: subject, ownTags: true)
                }?.entry
            } catch {
                // A table that cannot be read counts as missing; the sources answer.
            }
        }
        guard isManaged else { return nil }
        return policies.resolve(for: subject(for: account), in: Set(domains)).decidingEntry(for: key, in: domains)
    }

    /// Reads everything that was left for later, before this process gives its rights away.
    package func complete() {
        _ = (sources.policies, users.database)
    }

    /// The user that a command line or an application asks for.
    ///
    /// - Parameter name: the name that was given; `nil` is the caller.
    /// - Returns: the entry of the account database.
    /// - Throws: `noSuchUser` or `noSuchCaller`, with the names that there are.
    package func account(named name: String?) throws(SessionError) -> Account {
        if let name { return try known(name) }
        let file = facts == nil ? root.display("/etc/passwd") : "The facts file"
        let uid = CurrentProcess.uid
        if facts == nil, let account = users.account(uid: uid) { return account }
        guard facts == nil, root.isSystem else {
            throw unknown(.noSuchCaller(uid: uid, file: file, names: accounts.accounts.map(\.name)))
        }
        // An application never waits for a name service: a caller whom neither the file nor the register of people has
        // has the number for a name.
        return (isForeign ? nil : users.caller(uid))
            ?? Account(inDirectory: String(uid), uid: uid, gid: CurrentProcess.gid, home: "")
    }

    /// The people of directories in the register of people.
    package var registered: [Account] { users.registered }

    /// The person of a directory who has a uid, by the register of people; `nil` if it does not say.
    package func person(of uid: UInt32) -> Account? { registered.first { $0.uid == uid } }

    /// The person of a directory with a name, by the register of people: of several the last one who came.
    package func person(named name: String) -> Account? { registered.first { Key($0.name) == Key(name) } }

    /// The user of a name: of the account files, of a name service or, without its answer, of the register of people.
    private func known(_ name: String) throws(SessionError) -> Account {
        if let account = users.account(named: name) { return marked(account) }
        var silence: String?
        if facts == nil {
            do throws(SystemError) {
                if let account = try accounts.lookUpAccount(named: name) { return marked(account) }
            } catch {
                silence = Printable.escape(error.description)
            }
            if let account = person(named: name) { return marked(account) }
        }
        let known = accounts.accounts.filter { $0.uid == 0 || isPerson($0) }.map(\.name) + users.registered.map(\.name)
        let others = accounts.accounts.filter { $0.uid != 0 && !isPerson($0) }.map(\.name)
        let near = [known, others].lazy.map { Suggestion.near(name, among: $0, most: 5) }.first { !$0.isEmpty } ?? []
        let files = facts == nil ? root.display("/etc/passwd") : "The facts file"
        throw unknown(
            .noSuchUser(
                name: name,
                sources: silence.map { "It is unknown who that is (\($0)), and \(files) has" } ?? "\(files) has",
                near: near, names: known))
    }

    /// The error of an unknown user; another one if all are unknown, because the account database cannot be read.
    private func unknown(_ error: SessionError) -> SessionError {
        guard facts == nil, accounts.accounts.isEmpty, let problem = accounts.problems.first(where: { $0.line == 0 })
        else { return error }
        return .noUserDatabase(reason: Printable.escape(problem.message))
    }

    /// The tags of the machine; `nil` if they are unknown.
    package var tags: Set<Key>? { facts?.tags ?? (try? sources.table?.tags()) ?? policies.tags }

    /// What policy asks about a user of this machine.
    package func subject(for account: Account) -> Subject {
        let tags = tags
        var subject = plainSubject(for: account, namingGroups: true)
        subject.tags = tags ?? []
        return subject
    }

    /// What the compiled table asks about a user: without tags, which it has itself, and mostly without the names of
    /// groups, which only reasons contain.
    private func plainSubject(for account: Account, namingGroups: Bool = false) -> Subject {
        if isForeign, !account.isNamed, let subject = stampedSubject() { return subject }
        // The kernel has the groups of the caller; for any other user the account database has to be asked.
        let isCaller = root.isSystem && facts == nil && account.uid == CurrentProcess.uid && !account.isNamed
        let question = question(about: account, isCaller: isCaller)
        // An empty literal would be a call of generic code, which takes an eighth of a short command.
        var unknown = isUnknown(account) ? .identity : Subject.Unknown(rawValue: 0)
        // What the user's own programs get, also if another user asks.
        let person = account.isFromNameService && facts == nil ? PeopleRegister.person(of: account.uid, in: root) : nil
        if account.isFromNameService, person == nil { unknown.insert(.name) }
        if !account.isIDKnown { unknown.insert(.id) }
        if !account.isHomeKnown { unknown.insert(.home) }
        let groups = question != nil ? [] : isCaller ? CurrentProcess.groups : users.groups(of: account)
        return Subject(
            userName: person?.name ?? account.name, uid: account.uid,
            gid: isCaller ? CurrentProcess.gid : account.gid, groups: groups,
            groupNames: namingGroups && question == nil ? users.groupNames(groups) : [], question: question,
            home: person?.home ?? account.home, host: host, moment: moment, unknown: unknown)
    }

    /// What is known of the policy in force.
    package var knowledge: PolicyKnowledge {
        users.failure.map { .unknown(because: $0) } ?? sources.knowledge
    }

    /// The users in a report: those of the account database that people log in as, and root.
    package var people: [Account] {
        accounts.accounts.filter { account in account.uid == 0 || isPerson(account) }.map(marked)
    }

    /// Whether an entry of the account database is a person's: ids from 1000 on, except 65534.
    private func isPerson(_ account: Account) -> Bool {
        account.uid >= 1000 && account.uid != 65534
    }
}
