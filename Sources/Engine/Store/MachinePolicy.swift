import Platform
import Policy
import PropertyList

/// Policy of a machine for one of its users, read anew each time.
struct MachinePolicy: PolicySource {
    /// The file tree of the machine: one for all readings, which then need no descriptor each for the folder.
    let root: Root
    /// The user.
    let account: Account
    /// The machine as it was opened, for the first reading.
    private let first: Guarded<PolicyMachine?>
    /// The folders whose changes may change policy; none on an unmanaged machine.
    let folders: [String]

    /// Takes over a machine that was opened, so that it is not read twice.
    init(account: Account, _ machine: PolicyMachine) {
        root = machine.root
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
        let machine = first ?? PolicyMachine(root: root)
        let nextChange = machine.moment.clockCatchesUp
        // No file that a compiled table was made of is a link.
        if let resultant = machine.tableResultant(for: account, in: domains) {
            return PolicyReading(
                resultant: resultant, uncertainty: machine.uncertainty,
                nextChange: MachinePolicy.next(resultant, nextChange))
        }
        let resultant = machine.sourceResultant(for: account)
        return PolicyReading(
            resultant: resultant, uncertainty: machine.uncertainty,
            nextChange: MachinePolicy.next(resultant, nextChange),
            linkFolders: PolicyStore(root: machine.root).linkFolders(of: machine.policies))
    }

    /// When policy is read again: at its next change, or when the clock catches up.
    ///
    /// Where no change lies ahead but policy names times, at a time far ahead: the alarm notices a clock that is set back,
    /// which may bring a window again that was over, and there is none without a time.
    private static func next(_ resultant: ResultantSet, _ clock: Timestamp?) -> Timestamp? {
        if let next = earlier(resultant.nextChange, clock) { return next }
        return resultant.isTimed ? Timestamp(microseconds: Clock.now().microseconds + horizon) : nil
    }

    /// How far ahead that is, in microseconds: 30 days.
    private static let horizon: Int64 = 30 * 86_400 * 1_000_000

    /// The earlier one of two moments, where there are any.
    private static func earlier(_ left: Timestamp?, _ right: Timestamp?) -> Timestamp? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }
}
