import MDAuditClient
package import MDPlatform
package import MDPolicyCore
package import MDPolicyModel
import MDPolicyStore
package import MDPropertyList

/// One machine, real or a folder: its users, its policy and its audit log.
///
/// Command line and library open a machine once and ask it about users.
package final class PolicyMachine: Sendable {
    /// The root of the machine.
    package let root: Root
    /// Its users and groups.
    let users: MachineAccounts
    /// Its policy.
    private let policy: LoadedPolicy
    /// The host's name, or the one that was asked for.
    package let host: HostName
    /// The moment that policy is asked about.
    package let moment: Moment
    /// What is known of another host, if that is asked for: then what users have stored is unknown.
    package let facts: HostFacts?
    /// Who the caller is outside of its user namespace, by the ids that it has inside, as far as the audit service said.
    private static let stamped = Guarded<[UInt32: ServiceIdentity]>([:])
    /// Whether the audit service had no answer for this machine.
    private let isStampMissing = Guarded(false)

    /// Opens the machine and loads its policy.
    ///
    /// - Parameters:
    ///   - root: the file tree of the machine.
    ///   - host: the host to ask for; `nil` for the machine's own name.
    ///   - time: the moment to ask for; `nil` for now.
    ///   - facts: what is known of another host that is asked for; `nil` for the machine itself.
    ///   - isSpread: whether threads may help to read policy, as a command may have it, and an application not.
    ///   - expansion: the entries that stand for others, which commands expand and applications do not.
    package init(
        root: Root, host: String? = nil, at time: Timestamp? = nil, facts: HostFacts? = nil, isSpread: Bool = false,
        expanding expansion: PolicyExpansion? = nil
    ) {
        self.root = root
        let (now, floor) = (time ?? Clock.now(), time == nil && facts == nil ? TimeFloor(root: root) : nil)
        self.facts = facts
        users = MachineAccounts(root: root, facts: facts)
        let policy = LoadedPolicy(root: root, accounts: users, isSpread: isSpread, expansion: expansion)
        self.policy = policy
        moment = Moment(time: now, floor: floor, zones: ZoneDatabase(root: root, localZone: facts?.timeZone?.string))
        self.host =
            host.flatMap({ HostName($0) }) ?? facts?.host ?? policy.table?.host
            ?? policy.policies.hostName ?? Machine.hostName(root: root)
    }

    /// Opens a machine by its folder and loads its policy.
    ///
    /// - Parameter folder: the folder of `--root`; `nil` for this machine.
    /// - Throws: `root` if the folder cannot be opened.
    package convenience init(folder: String?) throws(SessionError) {
        self.init(root: try PolicyMachine.root(of: folder))
    }

    /// Opens a folder that is used as `/`.
    ///
    /// - Parameter folder: the folder of `--root`; `nil` for this machine.
    /// - Returns: its file tree.
    /// - Throws: `root` if the folder cannot be opened.
    package static func root(of folder: String?) throws(SessionError) -> Root {
        guard let folder else { return .system }
        do throws(SystemError) {
            return try Root(directory: folder)
        } catch {
            throw .root(error)
        }
    }

    /// Its users and groups, read when first asked for.
    package var accounts: AccountDatabase { users.database }

    /// The policy files, as they are in force; if the compiled table agrees with them, read when first asked for.
    package var policies: PolicySet { policy.policies }
    /// The keys that policy or a manifest calls sensitive, for whatever user; all of them while policy is unknown.
    package var sensitiveKeys: ManifestSecrets { ManifestSecrets(of: policies, root: root) }

    /// Whether there can be policy at all.
    package var isManaged: Bool { policy.isManaged }

    /// Whether policy comes from the compiled table, and every file is in force as it is: then there is nothing to say
    /// about any.
    package var isSound: Bool { policy.table?.isSound ?? false }

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
        guard let table = policy.table else { return nil }
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
        resultant.described(by: policy.manifests(of: resultant.describedDomains))
    }

    /// An entry with what manifests say of its key: for people, not for lookups.
    package func described(_ entry: ResolvedEntry) -> ResolvedEntry {
        entry.described(by: policy.manifests(of: [entry.domain]))
    }

    /// The forced or absent entry that decides lookups of a key in some domains for a user, or `nil`.
    ///
    /// From the compiled table, nothing but this key is resolved.
    package func decidingEntry(for key: Key, in domains: [Key], of account: Account) -> ResolvedEntry? {
        if let table = policy.table {
            let subject = plainSubject(for: account)
            do throws(StoredFileError) {
                return try ResolvedEntry.deciding(among: domains.count) { index throws(StoredFileError) in
                    try table.forcedEntry(domain: domains[index], key: key, for: subject, ownTags: true)
                }?.entry
            } catch {
                // A table that does not read is none; the sources answer.
            }
        }
        return resultant(for: account).decidingEntry(for: key, in: domains)
    }

    /// Reads everything that was left for later, before this process gives its rights away.
    package func complete() {
        _ = (policy.policies, users.database)
    }

    /// The user that a command line or an application asks for.
    ///
    /// - Parameter name: the name that was given; `nil` is the caller.
    /// - Returns: the entry of the account database.
    /// - Throws: `noSuchUser` or `noSuchCaller`, with the names that there are.
    package func account(named name: String?) throws(SessionError) -> Account {
        let file = root.display("/etc/passwd")
        /// The names that there are, for a message.
        func names() -> [String] { accounts.accounts.map(\.name) }
        if let name {
            // A question about another user may ask `getent`; without an answer there is no such user.
            if let account = users.account(named: name) { return marked(account) }
            if facts == nil, let account = try? accounts.lookUpAccount(named: name) { return marked(account) }
            throw unknown(.noSuchUser(name: name, file: facts == nil ? file : "The facts file", names: names()))
        }
        let uid = CurrentProcess.uid
        if facts != nil { throw .noSuchCaller(uid: uid, file: "The facts file", names: names()) }
        if let account = users.account(uid: uid) { return account }
        // An application never waits for `getent`: a caller without an entry in the file has the number for a name.
        if root.isSystem {
            var caller = Account(name: String(uid), uid: uid, gid: CurrentProcess.gid, fullName: "", home: "")
            caller.isFromNameService = true
            return caller
        }
        throw unknown(.noSuchCaller(uid: uid, file: file, names: names()))
    }

    /// The error of an unknown user; another one if all are unknown, because the account database cannot be read.
    private func unknown(_ error: SessionError) -> SessionError {
        guard facts == nil, accounts.accounts.isEmpty, let problem = accounts.problems.first(where: { $0.line == 0 })
        else { return error }
        return .noUserDatabase(reason: Printable.escape(problem.message))
    }

    /// The tags of the machine; `nil` if they are unknown.
    package var tags: Set<Key>? { facts?.tags ?? (try? policy.table?.tags()) ?? policies.tags }

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
        var unknown: Subject.Unknown = isUnknown(account) ? .identity : []
        if account.isFromNameService { unknown.insert(.name) }
        if !account.isIDKnown { unknown.insert(.id) }
        if !account.isHomeKnown { unknown.insert(.home) }
        let groups = question != nil ? [] : isCaller ? CurrentProcess.groups : users.groups(of: account)
        return Subject(
            userName: account.name, uid: account.uid, gid: isCaller ? CurrentProcess.gid : account.gid, groups: groups,
            groupNames: namingGroups && question == nil ? users.groupNames(groups) : [], question: question,
            home: account.home, host: host, moment: moment, unknown: unknown)
    }

    /// Why unknown policy may be in force, as a clause; `nil` if all policy is known.
    package var uncertainty: String? { policy.uncertainty ?? users.failure }

    /// The users whom a report covers: those of the account database that people log in as, and root.
    package var people: [Account] {
        accounts.accounts.filter { account in account.uid == 0 || isPerson(account) }.map(marked)
    }

    /// Whether an entry of the account database is a person's: ids from 1000 on, except 65534.
    private func isPerson(_ account: Account) -> Bool {
        account.uid >= 1000 && account.uid != 65534
    }
}

/// Which user is meant, if the ids and names of a user namespace are not those of the machine whose policy is in force.
extension PolicyMachine {
    /// Whether this process runs in a user namespace that does not belong to root, so that its user is unknown.
    package var isForeign: Bool { root.isSystem && facts == nil && UserNamespace.isForeign }

    /// A user of the account database, who is not the caller just because the ids are equal.
    func marked(_ account: Account) -> Account {
        var account = account
        account.isNamed = isForeign
        return account
    }

    /// The name of the user policy is resolved for, as an answer to a question about a user has it; `nil` if it is
    /// unknown.
    package func name(of account: Account) -> String? {
        guard isForeign, !account.isNamed else { return account.name }
        return stampedCaller.map { $0.name ?? String($0.uid) }
    }

    /// The same for people, safe to print.
    package func shownName(of account: Account) -> String {
        name(of: account).map { Printable.escape($0) } ?? "an unknown user"
    }

    /// Whether it is unknown who a user is: the caller in such a namespace, if the audit service does not say.
    func isUnknown(_ account: Account) -> Bool { isForeign && !account.isNamed && stampedCaller == nil }

    /// Who the caller is, as the kernel stamped its connection to the audit service; `nil` without an answer.
    ///
    /// Asked once in a process; without an answer, once for each machine that is opened. Waits 2 s at most.
    private var stampedCaller: ServiceIdentity? {
        isStampMissing.withLock { isMissing in
            if isMissing { return nil }
            let uid = CurrentProcess.uid
            if let known = PolicyMachine.stamped.withLock({ $0[uid] }) { return known }
            let answer = ServiceQuestion.identity(of: root)
            if let answer { PolicyMachine.stamped.withLock { $0[uid] = answer } }
            isMissing = answer == nil
            return answer
        }
    }

    /// What policy asks about the caller in such a namespace, if the audit service says who that is.
    private func stampedSubject() -> Subject? {
        guard let caller = stampedCaller else { return nil }
        var unknown: Subject.Unknown = []
        if caller.name == nil { unknown.insert(.name) }
        if caller.home == nil { unknown.insert(.home) }
        return Subject(
            userName: caller.name ?? String(caller.uid), uid: caller.uid, gid: caller.gid, groups: caller.groups,
            home: caller.home ?? "", host: host, moment: moment, unknown: unknown)
    }
}

extension PolicyMachine {
    /// The sentence for unknown policy.
    ///
    /// - Parameter reason: why, as a clause.
    /// - Returns: the sentence.
    package static func sentence(ofUncertainty reason: String) -> String {
        "It cannot be told what is forced, because policy could not be read: \(Printable.escape(reason))."
    }
}

/// Why a machine and a user could not be opened.
package enum SessionError: Error, Sendable, CustomStringConvertible {
    /// The folder of `--root` cannot be opened.
    case root(SystemError)
    /// No user was named, and the caller has no entry in the root's passwd file.
    case noSuchCaller(uid: UInt32, file: String, names: [String])
    /// The named user does not exist.
    case noSuchUser(name: String, file: String, names: [String])
    /// The account database cannot be read, so that no user is known; why, as a clause.
    case noUserDatabase(reason: String)

    /// Whether the command line is to blame rather than the machine.
    package var isUsage: Bool {
        switch self {
        case .root, .noUserDatabase: false
        case .noSuchCaller, .noSuchUser: true
        }
    }

    /// A sentence, with the names that there are.
    package var description: String {
        switch self {
        case .root(let error): "The folder of --root cannot be used: \(error)."
        case .noUserDatabase(let reason): "No user is known: \(reason)."
        case .noSuchCaller(let uid, let file, let names):
            "\(file) has no user with the uid \(uid) of the caller. "
                + (names.isEmpty ? "It names nobody." : "Name one with --user: \(SessionError.list(names)).")
        case .noSuchUser(let name, let file, let names):
            "\(file) has no user \(Printable.escape(name)). "
                + (names.isEmpty ? "It names nobody." : "There are: \(SessionError.list(names)).")
        }
    }

    /// At most twenty names in one line.
    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(20).map(Printable.escape).joined(separator: ", ")
        return names.count > 20 ? "\(shown) and \(names.count - 20) more" : shown
    }
}
