package import Platform
package import Policy
package import PropertyList

/// One machine, real or a folder: its users, its policy and its audit log.
///
/// Command line and library open a machine once and ask it about users.
package final class PolicyMachine: Sendable {
    /// The root of the machine.
    package let root: Root
    /// What is read on demand.
    let content: MachineContent
    /// The host's name, or the one that was asked for.
    package let host: HostName
    /// The moment that policy is asked about.
    package let moment: Moment
    /// What is known of another host, where that is asked for: then nothing that users have stored is known.
    package let facts: HostFacts?

    /// Opens the machine and loads its policy.
    ///
    /// - Parameters:
    ///   - root: the file tree of the machine.
    ///   - host: the host to ask for; `nil` for the machine's own name.
    ///   - time: the moment to ask for; `nil` for now.
    ///   - facts: what is known of another host that is asked for; `nil` for the machine itself.
    ///   - isSpread: whether threads may help to read policy, as a command may have it, and an application not.
    package init(
        root: Root, host: String? = nil, at time: Timestamp? = nil, facts: HostFacts? = nil, isSpread: Bool = false
    ) {
        self.root = root
        let (now, floor) = (time ?? Clock.now(), time == nil && facts == nil ? ClockFloor(root: root) : nil)
        self.facts = facts
        let content = MachineContent(root: root, isSpread: isSpread, facts: facts)
        self.content = content
        moment = Moment(time: now, floor: floor, zones: ZoneDatabase(root: root, localZone: facts?.timeZone?.string))
        self.host =
            host.flatMap({ HostName($0) }) ?? facts?.host ?? content.table?.host
            ?? Machine.hostName(root: root, recorded: content.policies.recordedHostName)
    }

    /// Opens a machine by its folder and loads its policy.
    ///
    /// - Parameter folder: the folder of `--root`; `nil` for this machine.
    /// - Throws: `root` where the folder cannot be opened.
    package convenience init(folder: String?) throws(SessionError) {
        self.init(root: try PolicyMachine.root(of: folder))
    }

    /// Opens a folder that stands for `/`.
    ///
    /// - Parameter folder: the folder of `--root`; `nil` for this machine.
    /// - Returns: its file tree.
    /// - Throws: `root` where the folder cannot be opened.
    package static func root(of folder: String?) throws(SessionError) -> Root {
        guard let folder else { return .system }
        do throws(SystemError) {
            return try Root(directory: folder)
        } catch {
            throw .root(error)
        }
    }

    /// Its users and groups, read when first asked for.
    package var accounts: AccountDatabase { content.accounts }

    /// The policy files, as they are in force; read when first asked for, where the compiled table agrees with them.
    package var policies: PolicySet { content.policies }

    /// Whether there can be policy at all.
    package var isManaged: Bool { content.isManaged }

    /// Whether policy comes from the compiled table, and every file is in force as it stands: then there is nothing to say
    /// about any.
    package var isSound: Bool { content.table?.isSound ?? false }

    /// What policy leaves for a user.
    package func resultant(for account: Account) -> ResultantSet {
        // Nothing is asked of the kernel for a machine without policy.
        guard isManaged else { return ResultantSet() }
        return tableResultant(for: account, in: nil) ?? sourceResultant(for: account)
    }

    /// What the compiled table leaves for a user; `nil` where there is none that agrees with its sources, or it does not
    /// read, so that the sources have to answer.
    ///
    /// - Parameters:
    ///   - account: the user.
    ///   - domains: the domains that are asked about; `nil` for all, with reasons for each file.
    /// - Returns: what is left in these domains.
    func tableResultant(for account: Account, in domains: Set<Key>?) -> ResultantSet? {
        guard let table = content.table else { return nil }
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

    /// A resultant set with what manifests say of its keys.
    private func described(_ resultant: ResultantSet) -> ResultantSet {
        resultant.described(by: content.manifests(of: resultant.describedDomains))
    }

    /// An entry with what manifests say of its key: for people, not for lookups.
    package func described(_ entry: ResolvedEntry) -> ResolvedEntry {
        entry.described(by: content.manifests(of: [entry.domain]))
    }

    /// The forced or absent entry that decides lookups of a key in some domains for a user, or `nil`.
    ///
    /// From the compiled table, nothing but this key is resolved.
    package func decidingEntry(for key: Key, in domains: [Key], of account: Account) -> ResolvedEntry? {
        if let table = content.table {
            let subject = plainSubject(for: account)
            do throws(TableError) {
                return try ResultantSet.decidingEntry(in: domains) { domain throws(TableError) in
                    try table.forcedEntry(domain: domain, key: key, for: subject, ownTags: true)
                }
            } catch {
                // A table that does not read is none; the sources answer.
            }
        }
        return resultant(for: account).decidingEntry(for: key, in: domains)
    }

    /// Reads everything that was left for later, before this process gives its rights away.
    package func complete() {
        _ = (content.policies, content.accounts)
    }

    /// The user that a command line or an application asks for.
    ///
    /// - Parameter name: the name that was given; `nil` is the caller.
    /// - Returns: the entry of the user database.
    /// - Throws: `noSuchUser` or `noSuchCaller`, with the names that there are.
    package func account(named name: String?) throws(SessionError) -> Account {
        let file = root.display("/etc/passwd")
        /// The names that there are, for a message.
        func names() -> [String] { accounts.accounts.map(\.name) }
        if let name {
            // Asking for somebody else may ask the directory service; what it cannot say is as good as nobody.
            if let account = content.account(named: name) { return marked(account) }
            if facts == nil, let account = try? accounts.lookUpAccount(named: name) { return marked(account) }
            throw unknown(.noSuchUser(name: name, file: facts == nil ? file : "The facts file", names: names()))
        }
        let uid = CurrentProcess.uid
        if facts != nil { throw .noSuchCaller(uid: uid, file: "The facts file", names: names()) }
        if let account = content.account(uid: uid) { return account }
        // An application never waits for a directory service: who is known to the kernel only keeps their number.
        if root.isSystem {
            var caller = Account(name: String(uid), uid: uid, gid: CurrentProcess.gid, fullName: "", home: "")
            caller.isOfDirectory = true
            return caller
        }
        throw unknown(.noSuchCaller(uid: uid, file: file, names: names()))
    }

    /// The error of a user who is not known; another one where nobody can be, because the user database cannot be read.
    private func unknown(_ error: SessionError) -> SessionError {
        guard facts == nil, accounts.accounts.isEmpty, let problem = accounts.problems.first(where: { $0.line == 0 })
        else { return error }
        return .noUserDatabase(reason: Printable.escape(problem.message))
    }

    /// The words that describe the machine; `nil` where nobody can tell them.
    package var tags: Set<Key>? { facts?.tags ?? (try? content.table?.tags()) ?? policies.tags }

    /// What policy asks about a user of this machine.
    package func subject(for account: Account) -> Subject {
        let tags = tags
        var subject = plainSubject(for: account, namingGroups: true)
        subject.tags = tags ?? []
        return subject
    }

    /// What the compiled table asks about a user: without tags, which it has itself, and mostly without the names of
    /// groups, which stand in reasons only.
    private func plainSubject(for account: Account, namingGroups: Bool = false) -> Subject {
        // The kernel knows the groups of the caller; for anybody else the user database has to be asked.
        let isCaller = root.isSystem && facts == nil && account.uid == CurrentProcess.uid && !account.isNamed
        let question = question(about: account, isCaller: isCaller)
        var unknown: Subject.Unknown = isUnknown(account) ? .identity : []
        if account.isOfDirectory { unknown.insert(.name) }
        if !account.isIDKnown { unknown.insert(.id) }
        if !account.isHomeKnown { unknown.insert(.home) }
        let groups = question != nil ? [] : isCaller ? CurrentProcess.groups : content.groups(of: account)
        return Subject(
            userName: account.name, uid: account.uid, gid: isCaller ? CurrentProcess.gid : account.gid, groups: groups,
            groupNames: namingGroups && question == nil ? content.groupNames(groups) : [], question: question,
            home: account.home, host: host, moment: moment, unknown: unknown)
    }

    /// Why policy may be in force of which nothing is known, as a clause; `nil` where all of it is known.
    package var uncertainty: String? { content.uncertainty }

    /// The users whom a report covers: those of the user database that people log in as, and root.
    package var people: [Account] {
        accounts.accounts.filter { account in account.uid == 0 || isPerson(account) }.map(marked)
    }

    /// Whether an entry of the user database is a person's: ids from 1000 on, without `nobody`.
    private func isPerson(_ account: Account) -> Bool {
        account.uid >= 1000 && account.uid != 65534
    }
}
