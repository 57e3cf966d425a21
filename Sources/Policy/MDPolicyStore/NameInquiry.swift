package import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPropertyList

/// The replies of the name services during one operation: each name is asked for once.
///
/// The helper program gets all names at once, and asks each service by itself. Without it `getent` is asked, which does
/// not say which service answered, nor whether all did.
package final class NameInquiry: Sendable {
    /// What is remembered.
    private struct State {
        var replies: [NameLedger.Name: NameReplies] = [:]
        /// The time of the first question, in microseconds.
        var began: Int64 = 0
    }

    /// How long replies hold, in microseconds: longer than any operation that asks.
    private static let validity: Int64 = 30_000_000
    /// What is remembered.
    private let state = Guarded(State())
    /// What `getent` answers.
    private let tool = NameServiceCache()

    package init() {}

    /// Asks for names.
    ///
    /// - Parameters:
    ///   - names: the names; those that come first are asked for first.
    ///   - accounts: the machine's own files, which are not asked again.
    /// - Returns: the replies.
    package func replies(to names: [NameLedger.Name], _ accounts: AccountDatabase) -> [NameLedger.Name: NameReplies] {
        let now = Clock.monotonicMicroseconds()
        let known = state.withLock { state in
            if now - state.began > NameInquiry.validity { state = State(began: now) }
            return state.replies
        }
        let missing = names.filter { known[$0] == nil }
        if missing.isEmpty { return known }
        var replies = known
        do throws(SystemError) {
            let questions = missing.map { name in
                switch name.kind {
                case .user: NameQuestion.user(name.name.string)
                case .group: NameQuestion.group(name.name.string)
                }
            }
            let answers = try NameService.ask(questions, root: .system, patience: NameService.wholePatience)
            for (index, name) in missing.enumerated() { replies[name] = answers?[index] ?? ask(name, accounts) }
        } catch {
            for name in missing { replies[name] = NameReplies([NameReplies.Reply("", .silent(error.text))]) }
        }
        state.withLock { $0.replies.merge(replies) { $1 } }
        return replies
    }

    /// Asks `getent` for a name.
    private func ask(_ name: NameLedger.Name, _ accounts: AccountDatabase) -> NameReplies {
        // The account files have been looked at.
        if accounts.areFilesTheOnlySource { return NameReplies([]) }
        var reason = "it took too long before"
        let answer: NameServiceCache.Answer<NameReplies.Answer>
        switch name.kind {
        case .user:
            answer = tool.answer(.user(name.name)) { () throws(SystemError) in
                try accounts.lookUpAccount(named: name.name.string).map { .user($0) } ?? .none
            }
        case .group:
            answer = tool.answer(.group(name.name)) { () throws(SystemError) in
                try accounts.lookUpGroup(named: name.name.string).map { .group(id: $0.gid, name: $0.name) } ?? .none
            }
        }
        if let failure = tool.failure { reason = failure.text }
        return NameReplies([NameReplies.Reply("", answer.value ?? .silent(reason))])
    }
}
