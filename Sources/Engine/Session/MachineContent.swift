import Platform
import Policy
import PropertyList

/// What a machine's users and policy are read from, on demand and once.
final class MachineContent: @unchecked Sendable {
    /// The root of the machine.
    private let root: Root
    /// Whether threads may help to read policy.
    private let isSpread: Bool
    /// What is known of another host, whose users these then are.
    private let facts: HostFacts?
    /// Whether there can be policy at all; asked once, with three system calls at most.
    let isManaged: Bool
    /// The compiled policy, where it agrees with its sources; `nil` where the sources have to be read.
    let table: CompiledTable?
    /// The lock of what was read so far; not `Guarded`, whose types cost a short command more than it reads.
    private let lock = Lock()
    /// The account files as a whole, once somebody needs them.
    private var knownAccounts: AccountDatabase?
    /// The account files for single questions, once somebody asks one.
    private var scan: AccountScan?
    /// Whether `scan` was asked for; it is `nil` afterwards where the files cannot be read.
    private var isScanned = false
    /// What the directory service says of groups, once somebody needs it.
    private var knownDirectory: DirectoryUsers?
    /// The policy of the sources, once somebody needs it.
    private var knownPolicies: PolicySet?
    /// What manifests say of the keys of some domains, once somebody shows them to people.
    private var knownManifests: (domains: Set<Key>, set: ManifestSet)?

    /// Opens the compiled policy.
    ///
    /// With `facts` the users are those of another host.
    ///
    /// - Parameters:
    ///   - root: the root of the machine.
    ///   - isSpread: whether threads may help to read policy.
    ///   - facts: what is known of another host; `nil` for the machine itself.
    init(root: Root, isSpread: Bool, facts: HostFacts? = nil) {
        self.root = root
        self.isSpread = isSpread
        self.facts = facts
        isManaged = PolicyPlace.isAny(in: root)
        // The compiled policy has the ids of this machine.
        table = facts == nil && isManaged ? CompiledTable(root: root) : nil
    }

    /// The policy of the sources, read when first asked for.
    var policies: PolicySet {
        guard isManaged else { return .unmanaged }
        let accounts = table == nil ? accounts : nil
        lock.acquire()
        defer { lock.release() }
        if let knownPolicies { return knownPolicies }
        let store = PolicyStore(root: root, accounts: accounts, accountsDecide: facts != nil, isSpread: isSpread)
        let loaded = store.load()
        knownPolicies = loaded
        return loaded
    }

    /// What manifests say of the keys of some domains.
    func manifests(of domains: Set<Key>) -> ManifestSet {
        lock.acquire()
        defer { lock.release() }
        if let knownManifests, knownManifests.domains.isSuperset(of: domains) { return knownManifests.set }
        let all = domains.union(knownManifests?.domains ?? [])
        let manifests = ManifestSet(root: root, of: all)
        knownManifests = (all, manifests)
        return manifests
    }

    /// The users and groups.
    var accounts: AccountDatabase {
        lock.acquire()
        defer { lock.release() }
        let accounts = knownAccounts ?? facts?.accounts(in: root) ?? AccountDatabase(root: root)
        knownAccounts = accounts
        return accounts
    }

    /// Why policy, or the groups of a user, may be in force of which nothing is known; `nil` where all of it is known.
    var uncertainty: String? {
        // A table that agrees was made of sources of which everything was known.
        if let reason = table == nil ? policies.uncertainty : uncertaintySoFar { return reason }
        let isScanned = single { _ in true } ?? false
        return isScanned ? nil : accounts.failure?.description
    }

    /// Why policy of the sources may be in force of which nothing is known, where somebody has needed it.
    private var uncertaintySoFar: String? {
        lock.acquire()
        defer { lock.release() }
        return knownPolicies?.uncertainty
    }

    /// The user of a name, of the account files alone.
    func account(named name: String) -> Account? {
        single { $0.account(named: name) } ?? accounts.account(named: name)
    }

    /// The first user of an id, of the account files alone.
    func account(uid: UInt32) -> Account? {
        single { $0.account(uid: uid) } ?? accounts.account(uid: uid)
    }

    /// The ids of a user's groups, of the account files alone.
    func groups(of account: Account) -> [UInt32] {
        single { $0.groups(of: account) } ?? accounts.groups(of: account)
    }

    /// What the directory service says of groups: of users other than the caller, on a machine that is no folder.
    var directory: DirectoryUsers {
        let accounts = accounts
        lock.acquire()
        defer { lock.release() }
        let directory = knownDirectory ?? DirectoryUsers(accounts)
        knownDirectory = directory
        return directory
    }

    /// What the directory service said so far; `nil` where nobody asked.
    var directorySoFar: DirectoryUsers? {
        lock.acquire()
        defer { lock.release() }
        return knownDirectory
    }

    /// The names of some groups, without those that have none.
    func groupNames(_ ids: [UInt32]) -> [String] {
        let names = single { $0.groupNames(ids) } ?? ids.map { accounts.groupName($0) }
        return names.compactMap { $0 }
    }

    /// Asks a single question, while the files were not read as a whole.
    private func single<Answer>(_ ask: (AccountScan) -> Answer?) -> Answer? {
        guard let files = accountScan else { return nil }
        return ask(files)
    }

    /// The account files for single questions, while they were not read as a whole.
    private var accountScan: AccountScan? {
        lock.acquire()
        defer { lock.release() }
        if knownAccounts != nil || facts != nil { return nil }
        if !isScanned {
            scan = try? AccountScan(root: root)
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
