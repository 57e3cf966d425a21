package import MDPlatform
package import MDPolicyCore
import MDPolicyModel
import MDPropertyList

/// What root's commands write of the people of directories.
extension KnownPeople {
    /// How long a person who is not seen stays, in days, if the administrator says nothing else.
    package static let standardDays = 400

    /// Whether an id is one that people of a directory have.
    package static func isPerson(_ uid: UInt32) -> Bool { uid >= 1_000 && uid != 65_534 && uid != .max }

    /// Notes that a name service has a user who has a session here, or whom policy names.
    ///
    /// The same uid with another name is another person: then the row of the earlier one ends. Local accounts, and those
    /// whose group no service said, are passed over.
    package mutating func see(_ account: Account, at now: Timestamp = Clock.now()) {
        guard account.isFromNameService, account.gid != .max, KnownPeople.isPerson(account.uid),
            PeopleRegister.canHold(name: account.name, home: account.home)
        else { return }
        var row = rows[account.uid] ?? Row(name: account.name)
        if !KnownPeople.areSame(row.name, account.name) {
            end(account.uid, at: now)
            row = Row(name: account.name)
        }
        (row.name, row.home, row.gid) = (account.name, account.home, account.gid)
        (row.service, row.missing) = (account.service ?? row.service, nil)
        row.first = row.first ?? now
        if !KnownPeople.isOfToday(row.seen, now) { row.seen = now }
        rows[account.uid] = row
    }

    /// Whether two spellings are of one name: directories do not tell cases apart.
    private static func areSame(_ left: String, _ right: String) -> Bool {
        Key(left) == Key(right) || Key(left.lowercased()) == Key(right.lowercased())
    }

    /// Ends the row of a uid: it held until a day after its user was last seen, and not longer than to this moment.
    private mutating func end(_ uid: UInt32, at now: Timestamp) {
        let others = earlier.filter { $0.uid == uid }
        defer { rows[uid] = nil }
        guard let seen = rows[uid]?.seen, let row = publicRow(of: uid, after: others.compactMap(\.until).max()) else {
            return
        }
        let until = min(Timestamp(microseconds: seen.microseconds &+ KnownPeople.day), now)
        // A clock that was set back makes no row that ends before it begins.
        guard row.from < until else { return }
        if others.count >= PeopleRegister.earlierLimit, let first = others.map(\.from).min() {
            earlier.removeAll { $0.uid == uid && $0.from == first }
        }
        earlier.append(PeopleRegister.Row(uid: uid, name: row.name, home: row.home, from: row.from, until: until))
    }

    /// What everybody may read of the row of a uid that was another's until a time.
    ///
    /// It holds from a day before its user was first seen, because people act before they are noted.
    private func publicRow(of uid: UInt32, after last: Timestamp?) -> PeopleRegister.Row? {
        guard let row = rows[uid], let home = row.home, let first = row.first, row.missing != .forgotten else {
            return nil
        }
        let from = Timestamp(microseconds: first.microseconds &- KnownPeople.day)
        return PeopleRegister.Row(uid: uid, name: row.name, home: home, from: max(from, last ?? from))
    }

    /// What everybody may read.
    package var publicRows: [PeopleRegister.Row] {
        var last: [UInt32: Timestamp] = [:]
        for row in earlier {
            if let until = row.until { last[row.uid] = max(last[row.uid] ?? until, until) }
        }
        return earlier + rows.keys.compactMap { publicRow(of: $0, after: last[$0]) }
    }

    /// Takes out people who were not seen for long, and those beyond the most that there may be.
    package mutating func prune(days: Int, most: Int = PeopleRegister.capacity, at now: Timestamp = Clock.now()) {
        let limit = Timestamp(microseconds: now.microseconds &- Int64(days) * KnownPeople.day)
        for (uid, row) in rows where row.seen.map({ $0 < limit }) ?? false { rows[uid] = nil }
        earlier.removeAll { $0.until.map { $0 < limit } ?? false }
        if rows.count > most {
            let oldest = rows.sorted { ($0.value.seen ?? limit, $0.key) < ($1.value.seen ?? limit, $1.key) }
            for (uid, _) in oldest.prefix(rows.count - most) { rows[uid] = nil }
        }
        if earlier.count > most { earlier.removeFirst(earlier.count - most) }
    }

    /// Writes what changed; under the lock of the policy record.
    ///
    /// A register that is damaged, or was changed by another program, is written again.
    package func write(to root: Root) throws(SystemError) {
        let (own, shared) = (encoded(), PeopleRegister.encode(publicRows))
        if rows.isEmpty, earlier.isEmpty, !root.mayExist(KnownPeople.path), !root.mayExist(PeopleRegister.path) {
            return
        }
        if (try? root.readTrusted(KnownPeople.path, limit: own.count).bytes) != own {
            try root.replace(KnownPeople.path, with: own, mode: 0o600)
        }
        let known = try? root.readTrusted(PeopleRegister.path, limit: shared.count)
        if known?.bytes != shared || known.map({ $0.status.mode & 0o777 != 0o644 }) ?? false {
            try root.replace(PeopleRegister.path, with: shared, mode: 0o644)
        }
    }

    /// This with what a run without the lock changed, as far as no other run changed the same meanwhile.
    package func taking(_ renewed: KnownPeople, changedFrom before: KnownPeople) -> KnownPeople {
        var result = self
        for uid in Set(before.rows.keys).union(renewed.rows.keys) where rows[uid] == before.rows[uid] {
            result.rows[uid] = renewed.rows[uid]
        }
        result.earlier += renewed.earlier.filter { !before.earlier.contains($0) && !earlier.contains($0) }
        return result
    }

    /// Notes users whom a name service has, under the lock of the policy record.
    ///
    /// - Throws: why they were not noted.
    package static func note(_ accounts: [Account], root: Root) throws(SystemError) {
        let accounts = accounts.filter(\.isFromNameService)
        guard !accounts.isEmpty else { return }
        let now = Clock.now()
        // Mostly nothing is new, and then nothing waits.
        if let known = try? KnownPeople(root: root), known.seeing(accounts, at: now) == known { return }
        let lock = try root.lock(StorePath.lock)
        defer { withExtendedLifetime(lock) {} }
        guard let known = try? KnownPeople(root: root) else { return }
        try known.seeing(accounts, at: now).write(to: root)
    }

    /// This with some users seen.
    private func seeing(_ accounts: [Account], at now: Timestamp) -> KnownPeople {
        var known = self
        for account in accounts { known.see(account, at: now) }
        return known
    }
}
