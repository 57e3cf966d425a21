import MDAuditClient
import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyStore
import MDPreferences
import MDPropertyList

extension DefaultsStore {
    /// Identifies a store: the folder used as `/` and the name of its user; both `nil` for the caller on this machine.
    private struct StoreID: Hashable {
        /// The folder.
        let folder: String?
        /// The user.
        let user: String?
    }

    /// A store, for as long as it is used.
    private struct OpenStore {
        /// The store.
        weak var store: DefaultsStore?
    }

    /// The stores of one process.
    private struct Register {
        /// The generation of the process (``Fork/generation``).
        var generation = Fork.generation
        /// The stores by their names.
        var stores: [StoreID: OpenStore] = [:]
    }

    /// The stores of this process, so that all objects of a user agree.
    private static let register = Guarded(resettable: Register())
    /// What was seen of each machine, which a child of this process inherits; replaced under the lock of the register.
    private static let memories = InheritedValue<[StoreID: PolicyMemory]>([:])

    /// The store of the caller on this machine.
    ///
    /// If the caller has no account, defaults live in memory only, and ``takeProblems()`` says so.
    static func ofCaller() -> DefaultsStore {
        shared(StoreID(folder: nil, user: nil)) { (memory) throws(Never) in
            let again: @Sendable () -> DefaultsStore? = { .ofCaller() }
            do throws(SessionError) {
                let policy = try PolicyMachine(folder: nil).policy()
                return DefaultsStore(try policy.account(named: nil), under: policy, memory, again)
            } catch {
                return DefaultsStore(
                    account: nil, root: .system, storage: nil, sharedDefaults: nil,
                    policy: UnknownPolicySource(reason: error.description), sink: nil,
                    problems: [DefaultsProblem(.policy, error.description)], again: again)
            }
        }
    }

    /// The store of a user of a machine whose `/` is a folder.
    static func open(folder: String, user: String?) throws(SessionError) -> DefaultsStore {
        try shared(StoreID(folder: folder, user: user)) { (memory) throws(SessionError) in
            let policy = try PolicyMachine(folder: folder).policy()
            return DefaultsStore(try policy.account(named: user), under: policy, memory) {
                try? .open(folder: folder, user: user)
            }
        }
    }

    /// Opens the files of a user.
    private convenience init(
        _ account: Account, under policy: PolicyInForce, _ memory: PolicyMemory,
        _ again: @escaping @Sendable () -> DefaultsStore?
    ) {
        let files = UserFiles(of: account, on: policy)
        self.init(
            account: account, root: policy.root, storage: FileStorage(files.preferences),
            sharedDefaults: files.shared, policy: MachinePolicySource(account: account, policy, memory),
            sink: AttemptChannel(files.reporter), setOnceBook: files.setOnceFile,
            problems: policy.absence.map { [DefaultsProblem(.policy, $0)] } ?? [], again: again)
    }

    /// The store of a name: the one that is in use in this process, or a new one.
    private static func shared<Failure: Error>(
        _ name: StoreID, _ make: @escaping @Sendable (PolicyMemory) throws(Failure) -> DefaultsStore
    ) throws(Failure) -> DefaultsStore {
        let (store, isFirst) = try register.withLock { register throws(Failure) in
            if register.generation != Fork.generation { register = Register() }
            if let store = register.stores[name]?.store { return (store, false) }
            let isFirst = register.stores.isEmpty
            let memory = memories.value[name] ?? PolicyMemory()
            let store = try make(memory)
            register.stores = register.stores.filter { $0.value.store != nil }
            register.stores[name] = OpenStore(store: store)
            memories.publish(memories.value.merging([name: memory]) { $1 })
            return (store, isFirst)
        }
        if isFirst {
            ProcessExit.register {
                for store in register.read({ $0.stores.values.compactMap(\.store) }) { store.finish() }
            }
        }
        return store
    }
}

/// Unknown policy, because the machine could not be opened.
struct UnknownPolicySource: PolicySource {
    /// Why not.
    let reason: String
    /// Nothing is watched.
    var folders: [String] { [] }

    /// Returns a set without knowledge.
    func read(_ domains: Set<Key>?) throws(SessionError) -> ResultantSet {
        ResultantSet(knowledge: .unknown(because: reason))
    }
}
