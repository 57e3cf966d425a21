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

    /// How long a directory must deny an account before its files go, in microseconds.
    private static let patience: Int64 = 24 * 3_600 * 1_000_000

    /// Finds the users of directories, by the ids that the policy record and the record of written files have.
    ///
    /// The files of a user who is not found stay, unless every service says in all runs of 24 hours that there is no such
    /// user, while the one that had the user finds another.
    ///
    /// Complexity: one question to the directory for each.
    func guests(besides people: [Account], _ known: inout KnownPeople) -> Guests {
        guard machine.root.isSystem, machine.facts == nil else { return Guests() }
        var ids = Set((try? WrittenFiles(root: machine.root))?.userIDs ?? [])
        for uid in machine.policies.names.users.values.flatMap(\.ids) where uid >= 1_000 && uid != 65_534 {
            ids.insert(uid)
        }
        ids.subtract(people.map(\.uid))
        ids.remove(0)
        var guests = Guests()
        var denied: [UInt32] = []
        for uid in ids.sorted() {
            // One that keeps this waiting is not asked again.
            guard guests.unknown.isEmpty, guests.accounts.count < MachinePrograms.guestLimit else {
                guests.unknown.insert(uid)
                continue
            }
            do throws(SystemError) {
                guard let account = try machine.accounts.lookUpAccount(uid: uid) else {
                    denied.append(uid)
                    continue
                }
                guests.accounts.append(account)
                var row =
                    known.rows[uid].flatMap { Key($0.name) == Key(account.name) ? $0 : nil }
                    ?? KnownPeople.Row(name: account.name)
                (row.service, row.missing) = (account.service ?? row.service, nil)
                known.rows[uid] = row
            } catch {
                if known.rows[uid]?.missing == .forgotten {
                    known.rows[uid] = nil
                    continue
                }
                guests.unknown.insert(uid)
                if known.rows[uid]?.missing != .settled { known.rows[uid]?.missing = nil }
            }
        }
        let now = Clock.now()
        let finding = Set(guests.accounts.compactMap(\.service))
        for uid in denied {
            var row = known.rows[uid] ?? KnownPeople.Row(name: "\(uid)")
            if let missing = row.missing, missing <= .settled {
                known.rows[uid] = nil
                continue
            }
            let isBelieved = row.service.map { finding.contains($0) } ?? false
            row.missing = isBelieved ? min(row.missing ?? now, now) : nil
            known.rows[uid] = row
            if let since = row.missing, now.microseconds - since.microseconds >= MachinePrograms.patience {
                known.rows[uid] = nil
            } else {
                guests.unknown.insert(uid)
            }
        }
        // Who has no files any more is not remembered.
        for (uid, row) in known.rows where row.service != nil && !ids.contains(uid) { known.rows[uid] = nil }
        return guests
    }

    /// Writes what is known of people of directories, if it changed; under the lock.
    func remember(_ people: KnownPeople, beside earlier: KnownPeople) {
        let root = machine.root
        let named = Set(machine.policies.names.groups.values.flatMap(\.ids))
        let learned = machine.learned(beside: people, of: named)
        if learned == earlier { return }
        // Without it a directory that is away counts as one that was never asked.
        try? root.replace(KnownPeople.path, with: learned.encoded(), mode: 0o600, durable: false)
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
        // Whose groups are unknown keeps what is written.
        if machine.areGroupsUnknown(of: account), (try? WrittenFiles(root: root))?.userIDs.contains(account.uid) == true
        {
            return
        }
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
