import Platform
import Policy
import PropertyList

/// Policy of a machine for one of its users, read anew each time.
struct MachinePolicy: PolicySource {
    /// The folder that stands for `/`; `nil` for this machine.
    let folder: String?
    /// The user.
    let account: Account
    /// The reading that opening the machine gave, for the first time that somebody asks.
    private let first: Guarded<PolicyReading?>
    /// The folders whose changes may change policy; none on an unmanaged machine.
    let folders: [String]

    /// Takes over a machine that was opened, so that it is not read twice.
    init(folder: String?, account: Account, _ machine: PolicyMachine) {
        self.folder = folder
        self.account = account
        folders = machine.isManaged ? PolicyStore.watchedFolders : []
        first = Guarded(MachinePolicy.reading(machine, account))
    }

    /// Reads policy.
    func read() throws(SessionError) -> PolicyReading {
        let first = first.withLock { first in
            defer { first = nil }
            return first
        }
        if let first { return first }
        let machine = try PolicyMachine(folder: folder, mayRenew: folder != nil || CurrentProcess.uid == 0)
        return MachinePolicy.reading(machine, account)
    }

    /// What a machine says for a user.
    private static func reading(_ machine: PolicyMachine, _ account: Account) -> PolicyReading {
        // Every file that a compiled table was made of is in force as it stands.
        let files = machine.isFromTable ? [] : machine.policies.files
        let resultant = machine.resultant(for: account)
        return PolicyReading(
            resultant: resultant, uncertainty: machine.uncertainty,
            unusable: Set(files.filter { $0.source == .none }.map { Key($0.path) }),
            nextChange: [resultant.nextChange, machine.moment.clockCatchesUp].compactMap { $0 }.min(),
            // A table is made only where no policy file is a link.
            linkFolders: machine.isFromTable ? [] : PolicyStore(root: machine.root).linkFolders(of: machine.policies))
    }
}
