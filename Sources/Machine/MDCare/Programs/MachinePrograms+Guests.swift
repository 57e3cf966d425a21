import MDAuditRecord
import MDEngine
import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPrograms
import MDPropertyList
import MDTools

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
        var ids = Set((try? WrittenFiles(root: machine.root))?.userIDs(in: machine.root) ?? [])
        for uid in machine.policies.names.users.values.flatMap(\.ids) where uid >= 1_000 && uid != 65_534 {
            ids.insert(uid)
        }
        // polkit may find no groups of theirs while the directory is away.
        if isTellingUsersApart {
            ids.formUnion(known.rows.lazy.filter { $0.value.seen != nil }.map(\.key))
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
                known.see(account)
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
            let isOver = row.missing.map { now.microseconds - $0.microseconds >= MachinePrograms.patience } ?? false
            if !isOver { guests.unknown.insert(uid) }
        }
        // People without a session are remembered only as long as files of theirs are there.
        for (uid, row) in known.rows where row.seen == nil && row.groups == nil && !guests.unknown.contains(uid) {
            known.rows[uid] = nil
        }
        return guests
    }

    /// Writes what is known of people of directories, those with a session included; under the lock.
    ///
    /// - Parameters:
    ///   - people: what is known now.
    ///   - earlier: what was known before; what a login has noted since stays.
    func remember(_ people: KnownPeople, beside earlier: KnownPeople) {
        let (root, now) = (machine.root, Clock.now())
        let named = Set(machine.policies.names.groups.values.flatMap(\.ids))
        guard let stored = try? KnownPeople(root: root) else { return }
        var people = stored.taking(people, changedFrom: earlier)
        let visitors = ((try? root.names(in: Persons.sessions)) ?? []).compactMap { UInt32($0) }.filter { uid in
            let row = people.rows[uid]
            return KnownPeople.isPerson(uid) && machine.accounts.account(uid: uid) == nil
                && !(KnownPeople.isOfToday(row?.seen, now)
                    && (named.isEmpty || KnownPeople.isOfToday(row?.asked, now)))
        }
        for uid in visitors.sorted().prefix(MachinePrograms.guestLimit) {
            let answer = Result { () throws(SystemError) in try machine.accounts.lookUpAccount(uid: uid) }
            // A directory that does not answer keeps this waiting once.
            guard case .success(let found) = answer else { break }
            guard let account = found else { continue }
            people.see(account, at: now)
            if !named.isEmpty { _ = machine.rights(of: account) }
        }
        people = machine.learned(beside: people, of: named)
        people.prune(days: AuditSettings(of: root).peopleDays ?? KnownPeople.standardDays, at: now)
        // Without it a directory that is away counts as one that was never asked, and people have numbers for names.
        try? people.write(to: root)
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
        if machine.areGroupsUnknown(of: account),
            (try? WrittenFiles(root: root))?.userIDs(in: root).contains(account.uid) == true
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
