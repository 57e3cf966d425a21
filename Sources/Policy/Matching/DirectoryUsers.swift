package import Platform
import PropertyList

/// What the machine's directory service says of users other than the caller and of their groups, each asked about once.
///
/// A service that leaves questions open is soon asked no more: a report covers many users.
package final class DirectoryUsers: @unchecked Sendable {
    /// The users and groups of the files.
    private let accounts: AccountDatabase
    /// The lock of everything below.
    private let lock = Lock()
    /// What was found of the groups of each user.
    private var answers: [Key: GroupQuestion.Answer] = [:]
    /// Who was found by name, of those whom the files lack; `nil` for nobody.
    private var found: [Key: Account?] = [:]
    /// The names of groups that the files lack; `nil` for one that has none.
    private var names: [UInt32: String?] = [:]
    /// How long questions without an answer took, in microseconds.
    private var lost: Int64 = 0
    /// Why the last question has no answer.
    private var failure: SystemError?
    /// The users whose groups policy asked about in vain.
    private var unknown: [String] = []
    /// Whether the name of a group was asked for in vain.
    private var isNameUnknown = false

    /// The time after which the service is given up: eight questions, since each waits for 250 ms.
    private static let patience: Int64 = 2_000_000

    /// Makes a memory of nothing.
    package init(_ accounts: AccountDatabase) {
        self.accounts = accounts
    }

    /// The groups of a user, without a word where they are not known as a whole.
    package func groups(of account: Account) -> GroupQuestion.Answer {
        lock.acquire()
        defer { lock.release() }
        let name = Key(account.name)
        if let known = answers[name] { return known }
        let asked = ask { () throws(SystemError) in try accounts.lookUpGroups(of: account) }
        let answer = GroupQuestion.Answer(ids: asked ?? accounts.groups(of: account), isComplete: asked != nil)
        answers[name] = answer
        return answer
    }

    /// The user of a name; `nil` where there is nobody, or nobody could tell.
    package func account(named name: String) -> Account? {
        if let account = accounts.account(named: name) { return account }
        lock.acquire()
        defer { lock.release() }
        if let known = found[Key(name)] { return known }
        let asked = ask { () throws(SystemError) in [try accounts.lookUpAccount(named: name)] }
        let account = asked?.first ?? nil
        found[Key(name)] = .some(account)
        return account
    }

    /// The groups of a user on which it depends what policy says.
    package func decidingGroups(of account: Account) -> GroupQuestion.Answer {
        let answer = groups(of: account)
        lock.acquire()
        defer { lock.release() }
        if !answer.isComplete, !unknown.contains(account.name) { unknown.append(account.name) }
        return answer
    }

    /// Whether somebody asked for the groups of a user.
    package func hasAsked(about account: Account) -> Bool {
        lock.acquire()
        defer { lock.release() }
        return answers[Key(account.name)] != nil
    }

    /// The groups of a user as far as somebody asked for them.
    package func groupsSoFar(of account: Account) -> [UInt32] {
        lock.acquire()
        defer { lock.release() }
        return answers[Key(account.name)]?.ids ?? accounts.groups(of: account)
    }

    /// The name of a group; `nil` where it has none, or nobody could tell.
    package func name(of gid: UInt32) -> String? {
        if let name = accounts.groupName(gid) { return name }
        lock.acquire()
        defer { lock.release() }
        if let known = names[gid] { return known }
        let asked = ask { () throws(SystemError) in [try accounts.lookUpGroupName(gid)] }
        if asked == nil { isNameUnknown = true }
        let name = asked?.first ?? nil
        names[gid] = .some(name)
        return name
    }

    /// The users whose groups policy asked about in vain, and why; `nil` where there is nobody.
    package var gap: (users: [String], failure: SystemError)? {
        lock.acquire()
        defer { lock.release() }
        guard let failure, !unknown.isEmpty else { return nil }
        return (unknown, failure)
    }

    /// Why a group's name, or the groups of a user, are not known; `nil` where all that was asked for is.
    package var incompleteness: SystemError? {
        lock.acquire()
        defer { lock.release() }
        return isNameUnknown || !unknown.isEmpty ? failure : nil
    }

    /// Asks one question under the lock, unless too many had no answer.
    private func ask<Answer>(_ question: () throws(SystemError) -> Answer) -> Answer? {
        if lost >= DirectoryUsers.patience { return nil }
        let start = Clock.monotonicMicroseconds()
        do throws(SystemError) {
            return try question()
        } catch {
            lost += Clock.monotonicMicroseconds() - start
            failure = error
            return nil
        }
    }
}
