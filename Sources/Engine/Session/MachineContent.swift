import Platform
import Policy

/// What a machine's users and policy are read from, on demand and once.
final class MachineContent: Sendable {
    /// The root of the machine.
    private let root: Root
    /// Whether what is found may be recorded.
    private let mayRenew: Bool
    /// The compiled policy, where it agrees with its sources; `nil` where the sources have to be read.
    let table: CompiledTable?
    /// The account files as a whole, once somebody needs them.
    private let wholeAccounts = Guarded<AccountDatabase?>(nil)
    /// The account files for single questions, once somebody asks one; the inner `nil` where they cannot be read.
    private let scan = Guarded<AccountScan??>(nil)
    /// The policy of the sources, once somebody needs it.
    private let sources = Guarded<PolicySet?>(nil)

    /// Opens the compiled policy, or reads and records the sources.
    init(root: Root, mayRenew: Bool) {
        self.root = root
        self.mayRenew = mayRenew
        table = PolicyStore(root: root).isManaged ? CompiledTable(root: root) : nil
        // What changed is recorded at once, whatever is asked later.
        if table == nil { _ = policies }
    }

    /// The policy of the sources.
    var policies: PolicySet {
        sources.withLock { known in
            if let known { return known }
            let changes = PolicyChangeRecorder(root: root)
            let store = PolicyStore(root: root, accounts: table == nil ? accounts : nil)
            let loaded = store.load(renewing: mayRenew) { changes.record($0) }
            known = loaded
            return loaded
        }
    }

    /// The users and groups.
    var accounts: AccountDatabase {
        wholeAccounts.withLock { known in
            let accounts = known ?? AccountDatabase(root: root)
            known = accounts
            return accounts
        }
    }

    /// Why policy, or the groups of a user, may be in force of which nothing is known; `nil` where all of it is known.
    var uncertainty: String? {
        // A table that agrees was made of sources of which everything was known.
        let known: PolicySet? = table == nil ? policies : sources.withLock { (set) -> PolicySet? in set }
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
        if wholeAccounts.withLock({ $0 != nil }) { return nil }
        let files = scan.withLock { known -> AccountScan? in
            if let known { return known }
            let read = try? AccountScan(root: root)
            known = .some(read)
            return read
        }
        return files.flatMap(ask)
    }
}
