import MDEngine
import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPrograms
import MDPropertyList

/// Users that only a directory service knows.
///
/// They are in no account file, so that nothing lists them. The policy record has the ids of users that policy names,
/// and a login reveals the others. The files written for either stay.
extension MachinePrograms {
    /// The users besides those of the account files, and the ids of those that the directory does not answer for.
    struct Guests {
        var accounts: [Account] = []
        var unknown: Set<UInt32> = []
    }

    /// The most users that the directory is asked for in one run.
    private static let guestLimit = 200

    /// Finds the users of directories, by the ids that the policy record and the record of written files have.
    ///
    /// Complexity: one question to the directory for each.
    func guests(besides people: [Account]) -> Guests {
        guard machine.root.isSystem, machine.facts == nil else { return Guests() }
        var ids = Set((try? WrittenFiles(root: machine.root))?.userIDs ?? [])
        for case .id(let uid) in machine.policies.names.users.values where uid >= 1_000 && uid != 65_534 {
            ids.insert(uid)
        }
        ids.subtract(people.map(\.uid))
        ids.remove(0)
        var guests = Guests()
        for uid in ids.sorted() {
            // One that keeps this waiting is not asked again.
            guard guests.unknown.isEmpty, guests.accounts.count < MachinePrograms.guestLimit else {
                guests.unknown.insert(uid)
                continue
            }
            do throws(SystemError) {
                // An id without an account has no files.
                if let account = try machine.accounts.lookUpAccount(uid: uid) { guests.accounts.append(account) }
            } catch {
                guests.unknown.insert(uid)
            }
        }
        return guests
    }

    /// Writes the files that a program itself reads for a user who is in no account file.
    ///
    /// - Parameters:
    ///   - account: the user.
    ///   - plan: what policy becomes for the user.
    /// - Throws: why they could not be written.
    func writeFiles(of account: Account, _ plan: ProgramsPlan) throws {
        let root = machine.root
        guard machine.accounts.account(uid: account.uid) == nil else { return }
        let files = ProgramCatalog.all.filter { $0.reach == .user }.flatMap { program in
            (plan.part(of: program, for: account.name)?.files ?? []).map { (program: program.name, file: $0) }
        }
        if files.isEmpty { return }
        let lock = try MachinePrograms.lock(root)
        var writer = try ProgramWriter(root: root)
        let outcome = writer.write(files, removing: false)
        if !outcome.changes.isEmpty {
            _ = MachinePrograms.publish(outcome.changes, root: root)
            _ = PolicyChangeRecorder(root: root).record(outcome.policyChanges)
        }
        withExtendedLifetime(lock) {}
    }
}
