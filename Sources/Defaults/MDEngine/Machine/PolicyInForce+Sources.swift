import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

extension PolicyInForce {
    /// What the policy of a moment is read from: the compiled table, or the policy files, which are read when they are first
    /// needed.
    final class Sources: @unchecked Sendable {
        /// The root of the machine.
        private let root: Root
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
        ///   - expansion: the entries that stand for others; `nil` if they are not expanded.
        ///   - known: the policy of the sources, if the caller has just read it.
        init(root: Root, accounts: MachineAccounts, expansion: PolicyExpansion?, known: PolicySet?) {
            (self.root, self.accounts, self.expansion) = (root, accounts, expansion)
            isManaged = PolicyDirectory.mayExist(in: root)
            // The compiled table has the ids of this machine.
            let table = accounts.areOfOtherHost || !isManaged ? nil : CompiledTable(root: root)
            // It has the entries as they are written.
            self.table = expansion.map { table?.mentions($0.domain) ?? false } == true ? nil : table
            knownPolicies = known.map { expansion?.expand($0) ?? $0 }
        }

        /// The policy of the sources.
        var policies: PolicySet {
            guard isManaged else { return .unmanaged }
            let database = table == nil ? accounts.database : nil
            lock.acquire()
            defer { lock.release() }
            if let knownPolicies { return knownPolicies }
            let store = PolicyStore(
                root: root, accounts: database, accountsDecide: accounts.areOfOtherHost)
            let loaded = store.scan(.reading).set()
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

        /// What is known of the policy in force.
        var knowledge: PolicyKnowledge {
            // A table that agrees says more than this engine may read in its sources: a newer one made it.
            table?.knowledge ?? policies.knowledge
        }
    }
}
