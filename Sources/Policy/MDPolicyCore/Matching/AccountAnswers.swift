package import MDPlatform
package import MDPolicyModel
import MDPropertyList

/// The users other than the caller and their groups, from the account files and from the name service.
package final class AccountAnswers: Sendable {
    /// The questions without an answer that matter.
    private struct Gap {
        /// The users whose groups policy needed and the service did not return.
        var users: [String] = []
        /// Whether the name of a group is unknown.
        var isNameUnknown = false
    }

    /// The users and groups of the account files.
    private let accounts: AccountDatabase
    /// The answers of the name service.
    private let service = NameServiceCache()
    /// The questions without an answer that matter.
    private let missing = Guarded(Gap())

    package init(_ accounts: AccountDatabase) {
        self.accounts = accounts
    }

    /// The groups of a user, without recording whether they are unknown.
    package func groups(of account: Account) -> GroupLookup.Answer {
        let answer = service.answer(.groups(of: Key(account.name))) { () throws(SystemError) in
            try accounts.lookUpGroups(of: account)
        }
        return GroupLookup.Answer(ids: answer.value ?? accounts.groups(of: account), isComplete: answer.value != nil)
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
        if !answer.isComplete {
            missing.withLock { missing in
                if !missing.users.contains(account.name) { missing.users.append(account.name) }
            }
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

    /// The users whose groups policy needed and the service did not return, and why; `nil` if there are none.
    package var gap: (users: [String], failure: SystemError)? {
        let users = missing.withLock { $0.users }
        guard let failure = service.failure, !users.isEmpty else { return nil }
        return (users, failure)
    }

    /// Why a group's name or a user's groups are unknown; `nil` if every question has an answer.
    package var incompleteness: SystemError? {
        missing.withLock { $0.isNameUnknown || !$0.users.isEmpty } ? service.failure : nil
    }
}
