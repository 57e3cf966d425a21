package import MDPlatform
package import MDPolicyModel
import MDPropertyList

/// The users other than the caller and their groups, from the account files and from the name service.
package final class AccountAnswers: Sendable {
    /// The questions without an answer that matter.
    private struct Gap {
        /// The users whose groups policy needed and the service did not return.
        var users: [String] = []
        /// The users whose groups are those that the service returned last, or of the account files.
        var stale: [String] = []
        /// Whether the name of a group is unknown.
        var isNameUnknown = false
    }

    /// The users and groups of the account files.
    private let accounts: AccountDatabase
    /// The answers of the name service.
    private let service = NameServiceCache()
    /// The questions without an answer that matter.
    private let missing = Guarded(Gap())
    /// The groups that the service answered, by user id, without those of the account files.
    private let answered = Guarded<[UInt32: (account: Account, groups: [UInt32])]>([:])
    /// What recording commands know of people; outer `nil` until it is needed, inner `nil` if it is unknown.
    private let people = Guarded<KnownPeople??>(nil)

    package init(_ accounts: AccountDatabase) {
        self.accounts = accounts
    }

    /// The groups of a user, without recording whether they are unknown.
    ///
    /// If the service does not answer, those that it answered last count, and a local account that it was not known to
    /// have in a group has the groups of the account files.
    package func groups(of account: Account) -> GroupLookup.Answer {
        // The register of people does not say the primary group.
        if account.gid == .max { return GroupLookup.Answer(ids: [], isComplete: false) }
        let answer = service.answer(.groups(of: Key(account.name))) { () throws(SystemError) in
            try accounts.lookUpGroups(of: account)
        }
        let own = accounts.groups(of: account)
        if let ids = answer.value {
            answered.withLock { $0[account.uid] = (account, ids.filter { !own.contains($0) }) }
            return GroupLookup.Answer(ids: ids, isComplete: true)
        }
        guard let known else { return GroupLookup.Answer(ids: own, isComplete: false) }
        let row = known.rows[account.uid].flatMap { Key($0.name) == Key(account.name) ? $0 : nil }
        if let groups = row?.groups {
            return GroupLookup.Answer(ids: own + groups.filter { !own.contains($0) }, isComplete: true)
        }
        return GroupLookup.Answer(ids: own, isComplete: isLocal(account))
    }

    /// Asks for the groups of many users at once.
    package func ask(about users: [Account]) {
        let users = users.filter { $0.gid != .max && !hasAsked(about: $0) }
        for (user, answer) in zip(users, accounts.lookUpGroups(of: users) ?? []) {
            service.remember(answer, to: .groups(of: Key(user.name)))
        }
    }

    /// Whether the service answered which groups a user has; asks if that was not asked before.
    package func isAnswered(about account: Account) -> Bool {
        _ = groups(of: account)
        return service.known(.groups(of: Key(account.name)), as: [UInt32].self) != nil
    }

    /// Whether the account files have a user.
    private func isLocal(_ account: Account) -> Bool {
        accounts.account(named: account.name)?.uid == account.uid
    }

    /// What recording commands know of people; `nil` if it is unknown.
    private var known: KnownPeople? {
        people.withLock { people in
            if let people { return people }
            let read = try? KnownPeople(root: accounts.root)
            people = .some(read)
            return read
        }
    }

    /// What a recording command knows of people now.
    ///
    /// - Parameters:
    ///   - known: what was known.
    ///   - named: the ids of the groups that policy names.
    /// - Returns: the same with what the service answered since.
    package func learned(beside known: KnownPeople, of named: Set<UInt32>) -> KnownPeople {
        let now = Clock.now()
        var known = known
        for (uid, answer) in answered.withLock({ $0 }) {
            let groups = answer.groups.filter { named.contains($0) }.sorted()
            if isLocal(answer.account) {
                known.rows[uid] = groups.isEmpty ? nil : KnownPeople.Row(name: answer.account.name, groups: groups)
            } else if var row = known.rows[uid], Key(row.name) == Key(answer.account.name) {
                row.groups = groups
                if !KnownPeople.isOfToday(row.asked, now) { row.asked = now }
                known.rows[uid] = row
            }
        }
        return known
    }

    /// The user of a name; `nil` if there is none, or the answer is unknown.
    package func account(named name: String) -> Account? {
        if let account = accounts.account(named: name) { return account }
        let answer = service.answer(.user(Key(name))) { () throws(SystemError) in
            try accounts.lookUpAccount(named: name)
        }
        return answer.value ?? nil
    }

    /// The groups of a user on which the resultant set depends; records whether they are unknown.
    package func decidingGroups(of account: Account) -> GroupLookup.Answer {
        let answer = groups(of: account)
        if isAnswered(about: account) { return answer }
        missing.withLock { missing in
            let list = answer.isComplete ? \Gap.stale : \Gap.users
            if !missing[keyPath: list].contains(account.name) { missing[keyPath: list].append(account.name) }
        }
        return answer
    }

    /// Whether the groups of a user were asked for.
    package func hasAsked(about account: Account) -> Bool { service.hasAsked(.groups(of: Key(account.name))) }

    /// The groups of a user that are known without another question.
    package func groupsSoFar(of account: Account) -> [UInt32] {
        service.known(.groups(of: Key(account.name)), as: [UInt32].self) ?? accounts.groups(of: account)
    }

    /// The name of a group; `nil` if it has none, or the answer is unknown.
    package func name(of gid: UInt32) -> String? {
        if let name = accounts.groupName(gid) { return name }
        let answer = service.answer(.groupName(gid)) { () throws(SystemError) in try accounts.lookUpGroupName(gid) }
        if case .unavailable = answer { missing.withLock { $0.isNameUnknown = true } }
        return answer.value ?? nil
    }

    /// The users whose groups policy needed and the service did not return, those with groups of an earlier answer apart,
    /// and why; `nil` if there are none.
    package var gap: (users: [String], stale: [String], failure: SystemError)? {
        let gap = missing.withLock { $0 }
        guard let failure = service.failure, !gap.users.isEmpty || !gap.stale.isEmpty else { return nil }
        return (gap.users, gap.stale, failure)
    }

    /// Why a group's name or a user's groups are unknown; `nil` if every question has an answer.
    package var incompleteness: SystemError? {
        missing.withLock { $0.isNameUnknown || !$0.users.isEmpty || !$0.stale.isEmpty } ? service.failure : nil
    }
}
