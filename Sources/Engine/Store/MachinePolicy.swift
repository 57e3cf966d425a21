import Platform
import Policy
import PropertyList

/// Policy of a machine for one of its users, read anew each time.
struct MachinePolicy: PolicySource {
    /// The folder that stands for `/`; `nil` for this machine.
    let folder: String?
    /// The user.
    let account: Account
    /// The machine as it was opened, for the first time that somebody asks.
    private let first: Guarded<PolicyMachine?>
    /// The folders whose changes may change policy; none on an unmanaged machine.
    let folders: [String]

    /// Takes over a machine that was opened, so that it is not read twice.
    init(folder: String?, account: Account, _ machine: PolicyMachine) {
        self.folder = folder
        self.account = account
        folders = machine.isManaged ? PolicyStore.watchedFolders : []
        first = Guarded(machine)
    }

    /// Reads policy.
    func read(_ domains: Set<Key>?) throws(SessionError) -> PolicyReading {
        let first = first.withLock { first in
            defer { first = nil }
            return first
        }
        let machine: PolicyMachine
        if let first {
            machine = first
        } else {
            machine = try PolicyMachine(folder: folder, mayRenew: folder != nil || CurrentProcess.uid == 0)
        }
        let nextChange = machine.moment.clockCatchesUp
        // Every file that a compiled table was made of is in force as it stands, and none is a link.
        if let resultant = machine.tableResultant(for: account, in: domains) {
            return PolicyReading(
                resultant: resultant, uncertainty: machine.uncertainty,
                nextChange: MachinePolicy.earlier(resultant.nextChange, nextChange))
        }
        let resultant = machine.sourceResultant(for: account)
        return PolicyReading(
            resultant: resultant, uncertainty: machine.uncertainty,
            unusable: Set(machine.policies.files.filter { $0.source == .none }.map { Key($0.path) }),
            nextChange: MachinePolicy.earlier(resultant.nextChange, nextChange),
            linkFolders: PolicyStore(root: machine.root).linkFolders(of: machine.policies))
    }

    /// The earlier one of two moments, where there are any.
    private static func earlier(_ left: Timestamp?, _ right: Timestamp?) -> Timestamp? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }
}
