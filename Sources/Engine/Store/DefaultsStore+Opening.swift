import Audit
import Platform
import Policy
import Preferences
import PropertyList

extension DefaultsStore {
    /// Which store it is: the folder that stands for `/` and the name of its user; empty for the caller here.
    private struct Name: Hashable {
        /// The folder.
        let folder: String?
        /// The user.
        let user: String?
    }

    /// A store that lives as long as somebody uses it.
    private struct Entry {
        /// The store.
        weak var store: DefaultsStore?
    }

    /// The stores of this process, so that all objects of a user agree.
    private static let stores = Guarded<[Name: Entry]>([:])

    /// The store of the caller on this machine.
    ///
    /// Where the caller has no account, defaults live in memory only, and ``takeProblems()`` says so.
    static func ofCaller() -> DefaultsStore {
        shared(Name(folder: nil, user: nil)) { () throws(Never) in
            do throws(SessionError) {
                let machine = try PolicyMachine(folder: nil)
                return DefaultsStore(try machine.account(named: nil), on: machine)
            } catch {
                return DefaultsStore(
                    account: nil, root: .system, storage: nil, sharedDefaults: nil,
                    policy: UnknownPolicy(reason: error.description), sink: nil, problems: [error.description])
            }
        }
    }

    /// The store of a user of the machine that a folder stands for.
    static func open(folder: String, user: String?) throws(SessionError) -> DefaultsStore {
        try shared(Name(folder: folder, user: user)) { () throws(SessionError) in
            let machine = try PolicyMachine(folder: folder)
            return DefaultsStore(try machine.account(named: user), on: machine)
        }
    }

    /// Opens the files of a user.
    private convenience init(_ account: Account, on machine: PolicyMachine) {
        let files = UserFiles(of: account, on: machine)
        self.init(
            account: account, root: machine.root, storage: FileStorage(files.preferences),
            sharedDefaults: files.shared, policy: MachinePolicy(account: account, machine),
            sink: files.reporter, setOnceBook: files.setOnceFile)
    }

    /// The store of a name: the one that is in use, or a new one.
    private static func shared<Failure: Error>(
        _ name: Name, _ make: @escaping @Sendable () throws(Failure) -> DefaultsStore
    ) throws(Failure) -> DefaultsStore {
        let (store, isFirst) = try stores.withLock { stores throws(Failure) in
            if let store = stores[name]?.store { return (store, false) }
            let isFirst = stores.isEmpty
            let store = try make()
            stores = stores.filter { $0.value.store != nil }
            stores[name] = Entry(store: store)
            return (store, isFirst)
        }
        if isFirst {
            ProcessExit.register {
                for store in stores.withLock({ $0.values.compactMap(\.store) }) { store.finish() }
            }
        }
        return store
    }
}

/// Policy of which nothing is known, because the machine could not be opened.
struct UnknownPolicy: PolicySource {
    /// Why not.
    let reason: String
    /// Nothing is watched.
    var folders: [String] { [] }

    /// Says that nothing is known.
    func read(_ domains: Set<Key>?) throws(SessionError) -> PolicyReading {
        PolicyReading(resultant: ResultantSet(), uncertainty: reason)
    }
}
