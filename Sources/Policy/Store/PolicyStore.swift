package import Platform
import PropertyList

/// Policy as it lies beneath a root: the two directories, the record, the copies and the table.
package struct PolicyStore: Sendable {
    /// The root.
    package let root: Root
    /// The machine's account files, where the caller has read them.
    let accounts: AccountDatabase?
    /// Whether the caller's accounts alone say who exists: those of another host, which no service here knows.
    let accountsDecide: Bool
    /// Whether threads may help.
    let isSpread: Bool
    /// How far apart two equal listings must be for a missing name to be removed, in microseconds.
    let settlingTime: Int64
    /// What the tools said of signatures in this process.
    let verifications = VerificationCache()
    /// What the directory service said for this store.
    let answers = DirectoryAnswers()

    /// How far apart two equal listings are if not said otherwise, in microseconds.
    package static let standardSettlingTime: Int64 = 1_000_000

    /// Makes a store.
    ///
    /// - Parameters:
    ///   - root: beneath which policy lies.
    ///   - accounts: the account files of the root, where they were read already; else they are read when needed.
    ///   - accountsDecide: whether these accounts alone say who exists, because they are those of another host.
    ///   - isSpread: whether threads may help, as a command that somebody waits for may have it, and an application not.
    ///   - settlingTime: how far apart two equal listings must be for a missing name to be removed, in microseconds.
    package init(
        root: Root, accounts: AccountDatabase? = nil, accountsDecide: Bool = false, isSpread: Bool = false,
        settlingTime: Int64 = PolicyStore.standardSettlingTime
    ) {
        self.root = root
        self.accounts = accounts
        self.accountsDecide = accountsDecide
        self.isSpread = isSpread
        self.settlingTime = settlingTime
    }

    /// Whether there can be policy at all: one of the folders of policy and of its record exists.
    ///
    /// What cannot be asked about counts as managed.
    package var isManaged: Bool { PolicyPlace.isAny(in: root) }

    /// Whether this process may record policy: root, or the owner of a folder that stands for a machine.
    package var mayWrite: Bool {
        // Root of a user namespace is not root; its files would not be trusted outside.
        CurrentProcess.euid == root.owner && !(root.isSystem && CurrentProcess.isInForeignNamespace)
    }

    /// Reads policy; nothing is written, and no lock is taken.
    ///
    /// - Returns: what is in force, whatever went wrong.
    package func load() -> PolicySet {
        isManaged ? look(.reading).set() : .unmanaged
    }

    /// What is wrong with the copies of what is in force.
    ///
    /// Complexity: each copy is read.
    package func copyFaults() -> [Diagnostic] {
        GoodCopies(root: root).faults(of: RecordReading(root: root).record)
    }

    /// Looks at everything once.
    func look(_ purpose: PolicyPass.Purpose) -> PolicyPass {
        PolicyPass(root: root, purpose, isSpread: isSpread) { names, recorded in
            if root.isSystem, CurrentProcess.isInForeignNamespace { return recorded }
            let accounts = accounts ?? AccountDatabase(root: root)
            guard root.isSystem, !accountsDecide else { return NameResolver.authoritative(names, accounts) }
            if case .reading = purpose { return NameResolver.recorded(names, table: recorded, accounts: accounts) }
            return NameResolver.renewed(names, recorded: recorded, accounts: accounts, answers: answers)
        }
    }
}
