import Platform
import Policy
import PropertyList

/// What a machine's users and policy are read from, on demand and once.
final class MachineContent: Sendable {
    /// The root of the machine.
    private let root: Root
    /// Whether what is found may be recorded.
    private let mayRenew: Bool
    /// What is known of another host, whose users these then are.
    private let facts: HostFacts?
    /// Whether there can be policy at all; asked once, with two system calls.
    let isManaged: Bool
    /// The compiled policy, where it agrees with its sources; `nil` where the sources have to be read.
    let table: CompiledTable?
    /// What was read so far; behind one lock, since every generic type costs a short command its first use.
    private let read = Guarded(Read())

    /// What was read so far.
    private struct Read {
        /// The account files as a whole, once somebody needs them.
        var accounts: AccountDatabase?
        /// The account files for single questions, once somebody asks one; the inner `nil` where they cannot be read.
        var scan: AccountScan??
        /// The policy of the sources, once somebody needs it.
        var policies: PolicySet?
        /// What manifests say of keys, once somebody shows them to people.
        var manifests: (domains: Set<Key>, set: ManifestSet)?
    }

    /// Opens the compiled policy, or reads and records the sources.
    ///
    /// With `facts` the users are those of another host, and nothing is recorded.
    init(root: Root, mayRenew: Bool, facts: HostFacts? = nil) {
        self.root = root
        self.mayRenew = mayRenew && facts == nil
        self.facts = facts
        // The compiled policy has the ids of this machine.
        isManaged = PolicyStore(root: root).isManaged
        table = facts == nil && isManaged ? CompiledTable(root: root) : nil
        // What changed is recorded at once, whatever is asked later.
        if table == nil { _ = policies }
    }

    /// The policy of the sources.
    var policies: PolicySet {
        guard isManaged else { return .unmanaged }
        let accounts = table == nil ? accounts : nil
        return read.withLock { read in
            if let known = read.policies { return known }
            let changes = PolicyChangeRecorder(root: root)
            let store = PolicyStore(root: root, accounts: accounts, accountsDecide: facts != nil)
            let loaded = store.load(renewing: mayRenew) { changes.record($0) }
            read.policies = loaded
            return loaded
        }
    }

    /// What manifests say of the keys of some domains.
    func manifests(of domains: Set<Key>) -> ManifestSet {
        read.withLock { read in
            if let known = read.manifests, known.domains.isSuperset(of: domains) { return known.set }
            let all = domains.union(read.manifests?.domains ?? [])
            let manifests = ManifestSet(root: root, of: all)
            read.manifests = (all, manifests)
            return manifests
        }
    }

    /// The users and groups.
    var accounts: AccountDatabase {
        read.withLock { read in
            let accounts = read.accounts ?? facts?.accounts(in: root) ?? AccountDatabase(root: root)
            read.accounts = accounts
            return accounts
        }
    }

    /// Why policy, or the groups of a user, may be in force of which nothing is known; `nil` where all of it is known.
    var uncertainty: String? {
        // A table that agrees was made of sources of which everything was known.
        let known: PolicySet? = table == nil ? policies : read.withLock { (read) -> PolicySet? in read.policies }
        if let reason = known?.uncertainty { return reason }
        let isScanned = single { _ in true } ?? false
        return isScanned ? nil : accounts.failure?.description
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

    /// The names of some groups, without those that have none.
    func groupNames(_ ids: [UInt32]) -> [String] {
        let names = single { $0.groupNames(ids) } ?? ids.map { accounts.groupName($0) }
        return names.compactMap { $0 }
    }

    /// Asks a single question, while the files were not read as a whole.
    private func single<Answer: Sendable>(_ ask: (AccountScan) -> Answer?) -> Answer? {
        let files = read.withLock { read -> AccountScan? in
            if read.accounts != nil || facts != nil { return nil }
            if let known = read.scan { return known }
            let scan = try? AccountScan(root: root)
            read.scan = .some(scan)
            return scan
        }
        return files.flatMap(ask)
    }
}

extension HostFacts {
    /// The users and groups as a database of a root.
    fileprivate func accounts(in root: Root) -> AccountDatabase {
        AccountDatabase(accounts: users, groups: groups, root: root)
    }
}
