package import Platform
import PropertyList

/// Policy as it lies beneath a root: the two directories, the good copies and the table.
package struct PolicyStore: Sendable {
    /// The root.
    package let root: Root
    /// The machine's account files, where the caller has read them.
    let accounts: AccountDatabase?
    /// Whether the caller's accounts alone say who exists: those of another host, which nobody here can be asked about.
    let accountsDecide: Bool
    /// Whether everything that is recorded is checked again: names of the directory service, and each good copy.
    let thorough: Bool
    /// Whether threads may help.
    let isSpread: Bool
    /// What this process had last of files that nobody has recorded; `nil` for one that asks once.
    private let memory: PolicyMemory?
    /// What the tools said of signatures in this process.
    private let verifications = VerificationCache()
    /// What the directory service said for this store.
    let answers = DirectoryAnswers()

    /// Makes a store.
    ///
    /// - Parameters:
    ///   - root: beneath which policy lies.
    ///   - accounts: the account files of the root, where they were read already; else they are read when needed.
    ///   - accountsDecide: whether these accounts alone say who exists, because they are those of another host.
    ///   - thorough: whether names are asked for again that have an id already, and every good copy is held to its
    ///     digest: for `policy apply` and `doctor`, which may take their time.
    ///   - isSpread: whether threads may help, as a command that somebody waits for may have it, and an application not.
    ///   - memory: what this process had last of files that nobody has recorded.
    package init(
        root: Root, accounts: AccountDatabase? = nil, accountsDecide: Bool = false, thorough: Bool = false,
        isSpread: Bool = false, memory: PolicyMemory? = nil
    ) {
        self.memory = memory
        self.root = root
        self.accounts = accounts
        self.accountsDecide = accountsDecide
        self.thorough = thorough
        self.isSpread = isSpread || thorough
    }

    /// Whether there can be policy at all: one of `/etc/managed-defaults` and `/run/managed-defaults` exists.
    ///
    /// What cannot be told counts as managed.
    package var isManaged: Bool { PolicyPlace.isAny(in: root) }

    /// Whether this process may write good copies and table: root, or the owner of a folder that stands for a machine.
    package var mayWrite: Bool {
        // Root of a user namespace is not root; its files would not be trusted outside.
        CurrentProcess.euid == root.owner && !(root.isSystem && CurrentProcess.isPolicyOutside)
    }

    /// Reads policy, and records what has to be recorded where this process may.
    ///
    /// Where nothing changed, nothing is written and no lock is taken.
    ///
    /// - Parameters:
    ///   - renewing: whether good copies and table are written where they lag behind and this process may write them.
    ///   - report: gets the changes before they are recorded, under the lock: whoever reports them loses none to a
    ///     crash, and may report them twice. Where it answers false they stay unrecorded, and come again.
    /// - Returns: what is in force, whatever went wrong.
    package func load(renewing: Bool, report: ([PolicyChange]) -> Bool = { _ in true }) -> PolicySet {
        load(renewing: renewing, report: report) { _ in }.set
    }

    /// Whether there is something of what is kept for everybody's programs that not everybody can read.
    package var isHidden: Bool { !LintAccess.kept(root: root).isEmpty }

    /// Reads policy, records what has to be recorded where this process may, and checks what was found: at the same time,
    /// where threads may help.
    ///
    /// - Parameters:
    ///   - renewing: whether good copies and table are written, as for ``load(renewing:report:)``.
    ///   - report: gets the changes before they are recorded, as there.
    ///   - check: checks what is in force; the caller's own thread does that.
    /// - Returns: what is in force, whatever went wrong, and what the check says of it.
    package func load<Findings>(
        renewing: Bool, report: ([PolicyChange]) -> Bool, check: (PolicySet) -> Findings
    ) -> (set: PolicySet, findings: Findings) {
        guard isManaged else { return (.unmanaged, check(.unmanaged)) }
        guard renewing && mayWrite else {
            let set = lookWhileStill().set()
            return (set, check(set))
        }
        // What is recorded is for everybody.
        let faults = KeptFiles(root: root).mend(isThorough: thorough)
        let untold = toldTime()
        let before = try? WitnessList(root: root)
        let pass = look(isWriter: true)
        guard !pass.needsRecording else {
            let set = record(pass, report: report).taking(faults, root: root)
            return (set, check(set))
        }
        let found = pass.set()
        let set = (untold.isEmpty ? found : pass.set(more: untold)).taking(faults, root: root)
        // The table of much policy and the check of it take memory, and one after the other gives it back.
        let isSmall = set.files.reduce(0) { $0 + ($1.policy?.entries.count ?? 0) } <= PolicyStore.pairLimit
        let (findings, _) = Workers.pair(isSpread: isSpread && isSmall) {
            check(set)
        } _: {
            renewTable(pass, found, before: before)
        }
        return (set, findings)
    }

    /// Looks at everything without writing, anew while the record changes meanwhile: a rollback that begins puts another
    /// generation in force, of which half a look must not be.
    private func lookWhileStill() -> PolicyPass {
        var pass = look(isWriter: false)
        for _ in 1..<PolicyStore.lookLimit {
            guard pass.recorded.isSuperseded(root: root) else { break }
            pass = look(isWriter: false)
        }
        return pass
    }

    /// The most entries of policy that is compiled and checked at the same time.
    private static let pairLimit = 50_000

    /// The most looks that somebody takes while the record changes; nobody changes it as often.
    static let lookLimit = 5

    /// Looks at everything once.
    ///
    /// - Parameters:
    ///   - isWriter: whether the directory service may be asked, and copies are checked.
    ///   - isRollbackOver: whether the files of a rollback that is recorded as not over have all been written.
    /// - Returns: what was found.
    func look(isWriter: Bool, isRollbackOver: Bool = false) -> PolicyPass {
        PolicyPass(
            root: root, thorough: thorough && isWriter, isSpread: isSpread, isRollbackOver: isRollbackOver,
            verifications: isWriter ? verifications : nil, memory: memory
        ) { names, recorded in
            guard root.isSystem, !accountsDecide else {
                return NameResolver.authoritative(names, accounts ?? AccountDatabase(root: root))
            }
            if CurrentProcess.isPolicyOutside {
                return NameResolver.outside(
                    names, table: recorded, isRecordOfMachine: Machine.isRecordOfMachine(root: root),
                    OutsideAccounts(root: root))
            }
            guard isWriter else {
                return NameResolver.recorded(names, table: recorded, accounts: accounts ?? AccountDatabase(root: root))
            }
            return NameResolver.renewed(
                names, recorded: recorded, accounts: accounts ?? AccountDatabase(root: root), anew: thorough,
                answers: answers)
        }
    }
}
