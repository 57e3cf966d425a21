import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// The policy of a machine: the compiled table, or the sources, which are read when they are first needed.
final class LoadedPolicy: @unchecked Sendable {
    /// The root of the machine.
    private let root: Root
    /// Whether threads may help to read policy.
    private let isSpread: Bool
    /// The entries that stand for others, where they are expanded.
    private let expansion: PolicyExpansion?
    /// The users and groups that targets name.
    private let accounts: MachineAccounts
    /// Whether there can be policy at all; asked once, with three system calls at most.
    let isManaged: Bool
    /// The compiled table, if it agrees with its sources; `nil` if the sources have to be read.
    let table: CompiledTable?
    /// The lock of what was read so far; not `Guarded`, whose types cost a short command more than it reads.
    private let lock = Lock()
    /// The policy of the sources, once needed.
    private var knownPolicies: PolicySet?
    /// What manifests say of the keys of some domains, once needed.
    private var knownManifests: (domains: Set<Key>, set: ManifestSet)?

    /// Opens the compiled table.
    ///
    /// - Parameters:
    ///   - root: the root of the machine.
    ///   - accounts: its users and groups, or those of another host.
    ///   - isSpread: whether threads may help to read policy.
    ///   - expansion: the entries that stand for others; `nil` if they are not expanded.
    init(root: Root, accounts: MachineAccounts, isSpread: Bool, expansion: PolicyExpansion?) {
        (self.root, self.accounts, self.isSpread, self.expansion) = (root, accounts, isSpread, expansion)
        isManaged = PolicyDirectory.mayExist(in: root)
        // The compiled table has the ids of this machine.
        let table = accounts.areOfOtherHost || !isManaged ? nil : CompiledTable(root: root)
        // It has the entries as they are written.
        self.table = expansion.map { table?.mentions($0.domain) ?? false } == true ? nil : table
    }

    /// The policy of the sources.
    var policies: PolicySet {
        guard isManaged else { return .unmanaged }
        let database = table == nil ? accounts.database : nil
        lock.acquire()
        defer { lock.release() }
        if let knownPolicies { return knownPolicies }
        let store = PolicyStore(
            root: root, accounts: database, accountsDecide: accounts.areOfOtherHost, isSpread: isSpread)
        let loaded = store.load()
        let expanded = expansion?.expand(loaded) ?? loaded
        knownPolicies = expanded
        return expanded
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

    /// Why unknown policy may be in force, as a clause; `nil` if all policy is known.
    var uncertainty: String? {
        // A table that agrees was made only when all of its sources were known.
        table == nil ? policies.uncertainty : uncertaintySoFar
    }

    /// Why unknown policy of the sources may be in force, if they were needed.
    private var uncertaintySoFar: String? {
        lock.acquire()
        defer { lock.release() }
        return knownPolicies?.uncertainty
    }
}
