package import MDPlatform
package import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// The account database of a machine: the users and groups of its files, or of another host, and what `getent` answers.
///
/// Everything is read when it is first needed, and then kept. Single questions are answered without reading every line.
final class MachineAccounts: @unchecked Sendable {
    /// The root of the machine.
    private let root: Root
    /// What is known of another host, whose users these then are.
    private let facts: HostFacts?
    /// The lock of what was read so far; not `Guarded`, whose types cost a short command more than it reads.
    private let lock = Lock()
    /// The files as a whole, once needed.
    private var knownDatabase: AccountDatabase?
    /// The files for single questions, once needed.
    private var scan: AccountSearch?
    /// Whether `scan` was asked for; it is `nil` afterwards if the files cannot be read.
    private var isScanned = false
    /// What `getent` answers, once needed.
    private var knownAnswers: AccountAnswers?

    /// Names the users of a machine; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - root: the root of the machine.
    ///   - facts: what is known of another host; `nil` for the machine itself.
    init(root: Root, facts: HostFacts?) {
        (self.root, self.facts) = (root, facts)
    }

    /// Whether the users are those of another host.
    var areOfOtherHost: Bool { facts != nil }

    /// Whether `getent` is asked: not beneath a folder, and not about another host.
    var hasDirectory: Bool { root.isSystem && facts == nil }

    /// The users and groups as a whole.
    var database: AccountDatabase {
        lock.acquire()
        defer { lock.release() }
        let database = knownDatabase ?? facts?.accounts(in: root) ?? AccountDatabase(root: root)
        knownDatabase = database
        return database
    }

    /// Why the files cannot be read, as a clause; `nil` if they can.
    var failure: String? {
        let isScanned = single { _ in true } ?? false
        return isScanned ? nil : database.failure?.description
    }

    /// The user of a name, of the files alone.
    func account(named name: String) -> Account? {
        single { $0.account(named: name) } ?? database.account(named: name)
    }

    /// The first user of an id, of the files alone.
    func account(uid: UInt32) -> Account? {
        single { $0.account(uid: uid) } ?? database.account(uid: uid)
    }

    /// The caller by the register of people; `nil` if it does not say.
    func caller(_ uid: UInt32) -> Account? {
        PeopleRegister.person(of: uid, in: root).map {
            Account(inDirectory: $0.name, uid: uid, gid: CurrentProcess.gid, home: $0.home)
        }
    }

    /// The people in the register of people; none if it is damaged, or of another host.
    ///
    /// Root knows their primary groups; for others they have an id that no group can have.
    var registered: [Account] {
        let rows = areOfOtherHost ? [] : (try? PeopleRegister(root: root).all()) ?? []
        if rows.isEmpty { return [] }
        let known = try? KnownPeople(root: root)
        return rows.filter { $0.until == nil }.sorted { $0.from > $1.from }.map {
            Account(inDirectory: $0.name, uid: $0.uid, gid: known?.rows[$0.uid]?.gid ?? .max, home: $0.home)
        }
    }

    /// The ids of a user's groups, of the files alone.
    func groups(of account: Account) -> [UInt32] {
        single { $0.groups(of: account) } ?? database.groups(of: account)
    }

    /// The names of some groups, without those that have none.
    func groupNames(_ ids: [UInt32]) -> [String] {
        let names = single { $0.groupNames(ids) } ?? ids.map { database.groupName($0) }
        return names.compactMap { $0 }
    }

    /// What `getent` answers: of users other than the caller, on a machine that is not a folder.
    var answers: AccountAnswers {
        let database = database
        lock.acquire()
        defer { lock.release() }
        let answers = knownAnswers ?? AccountAnswers(database)
        knownAnswers = answers
        return answers
    }

    /// What `getent` answered so far; `nil` if it was not asked.
    var answersSoFar: AccountAnswers? {
        lock.acquire()
        defer { lock.release() }
        return knownAnswers
    }

    /// Asks a single question, while the files were not read as a whole.
    private func single<Answer>(_ ask: (AccountSearch) -> Answer?) -> Answer? {
        guard let files = openScan() else { return nil }
        return ask(files)
    }

    /// Opens the files for single questions; `nil` once they were read as a whole.
    private func openScan() -> AccountSearch? {
        lock.acquire()
        defer { lock.release() }
        if knownDatabase != nil || facts != nil { return nil }
        if !isScanned {
            scan = try? AccountSearch(root: root)
            isScanned = true
        }
        return scan
    }
}

extension HostFacts {
    /// The users and groups as a database of a root.
    fileprivate func accounts(in root: Root) -> AccountDatabase {
        AccountDatabase(accounts: users, groups: groups, root: root)
    }
}

/// The groups of users other than the caller, which the kernel does not have.
extension PolicyInForce {
    /// The question about a user's groups, which policy asks if a file names groups; `nil` if they are known.
    ///
    /// Beneath a folder and of another host the files are all there is, and the kernel has the groups of the caller. A
    /// child that has taken on a user's ids uses what was asked before.
    func question(about account: Account, isCaller: Bool) -> GroupLookup? {
        guard users.hasDirectory else { return nil }
        if isCaller, users.answersSoFar?.hasAsked(about: account) != true { return nil }
        return GroupLookup(
            ask: { [users] in users.answers.decidingGroups(of: account) },
            name: { [users] ids in ids.compactMap { users.answers.name(of: $0) } })
    }

    /// Asks for the groups of many users at once, if policy is to be resolved for all of them.
    package func askGroups(of accounts: [Account]) {
        if users.hasDirectory, !accounts.isEmpty { users.answers.ask(about: accounts) }
    }

    /// Whether policy depends on the groups of a user, and they are unknown.
    package func areGroupsUnknown(of account: Account) -> Bool {
        guard users.hasDirectory, !policies.names.groups.isEmpty else { return false }
        return !users.answers.groups(of: account).isComplete
    }

    /// What recording commands know of people, with what the directory answered since.
    package func learned(beside known: KnownPeople, of groups: Set<UInt32>) -> KnownPeople {
        users.answersSoFar?.learned(beside: known, of: groups) ?? known
    }

    /// The ids of a user's groups, for a child that takes them on.
    ///
    /// Without an answer of `getent` the child has fewer rights, never more.
    package func rights(of account: Account) -> [UInt32] {
        users.hasDirectory ? users.answers.groups(of: account).ids : accounts.groups(of: account)
    }

    /// The ids of a user's groups, as far as they were asked for, for a child that only reads what is the user's own.
    package func rightsSoFar(of account: Account) -> [UInt32] {
        users.answersSoFar?.groupsSoFar(of: account) ?? users.groups(of: account)
    }

    /// The name of a group, the one that `getent` answers if it is asked; `nil` if it has none.
    func groupName(_ gid: UInt32) -> String? {
        users.hasDirectory ? users.answers.name(of: gid) : accounts.groupName(gid)
    }

    /// The users whose groups are unknown, though policy names groups, and what follows, as sentences; `nil` if there
    /// are none.
    package var unknownGroups: String? {
        guard let gap = users.answersSoFar?.gap else { return nil }
        let reason = Printable.escape(gap.failure.description)
        let rules: [(users: [String], rule: (String) -> String)] = [
            (gap.users, { "Policy that names groups counts as policy for \($0)." }),
            (gap.stale, { "For \($0) those of its last answer count, and those of the account files." }),
        ]
        return rules.filter { !$0.users.isEmpty }.map { users, rule in
            let names = users.prefix(PolicyInForce.namedUsers).map { Printable.escape($0) }
            let more = users.count - names.count
            let list = names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
            return "The directory service does not tell the groups of \(list): \(reason). "
                + rule(users.count == 1 ? "this user" : "these users")
        }.joined(separator: " ")
    }

    /// Why facts about users would be incomplete, as a sentence; `nil` if all that was asked for is known.
    package var missingFacts: String? {
        users.answersSoFar?.incompleteness.map {
            "The directory service does not tell every group: \(Printable.escape($0.description))."
        }
    }

    /// The most users who are named.
    private static let namedUsers = 8
}
