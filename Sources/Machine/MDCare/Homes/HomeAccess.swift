import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyModel
import MDTools

/// Works in users' homes with no more rights than their owners have.
package enum HomeAccess {
    /// The number of homes to read at a time.
    private static let atOnce = 4
    /// The time limit for one home, in seconds.
    private static let homeSeconds = 5.0
    /// The time limit for all homes, in seconds.
    private static let allSeconds = 60.0
    /// The most bytes of the answer about one home.
    private static let answerLimit = 8 << 20
    /// The memory that a child process may use beyond that of this process, which bounds the cost of a hostile file.
    private static let memoryLimit = 512 << 20
    /// Where child processes that homes keep waiting are counted, until the next boot; a change in a folder of policy would
    /// be a reason to apply it.
    private static let permits = "/run/managed-defaults-homes.lock"

    /// The upper bound of numbers that a user can have written.
    static let largestCount = 1 << 40

    /// The time limit for reading all homes from now on, in monotonic microseconds.
    package static func end() -> Int64 {
        Clock.monotonicMicroseconds() + Int64(allSeconds * 1_000_000)
    }

    /// Whether this process has more rights than the user whose home it is.
    private static func needsChild(_ session: UserSession) -> Bool {
        session.machine.root.isSystem && CurrentProcess.euid == 0 && session.account.uid != 0
    }

    /// Runs code in a user's home with no more rights than the user has.
    ///
    /// - Throws: if the child process could not take the ids of the user, or did not answer in time.
    static func asOwner(_ session: UserSession, _ body: () -> [UInt8]) throws(SystemError) -> [UInt8] {
        let answers = asOwners([session], until: end()) { _ in body() }
        return try answers[0].get()
    }

    /// Runs code in the homes of some users, each time with no more rights than the user has.
    ///
    /// - Parameters:
    ///   - sessions: the users.
    ///   - end: the time limit, in monotonic microseconds.
    ///   - body: the work.
    /// - Returns: what `body` returned; an error if the child process could not take the ids of the user, or did not answer.
    static func asOwners(
        _ sessions: [UserSession], until end: Int64, _ body: (UserSession) -> [UInt8]
    ) -> [Result<[UInt8], SystemError>] {
        let others = sessions.filter(needsChild)
        var rest = ForkedChild.runAll(
            others.map { session in
                .init(
                    uid: session.account.uid, gid: session.account.gid,
                    groups: session.machine.rightsSoFar(of: session.account))
            }, atOnce: atOnce, bounds(until: end)
        ) { body(others[$0]) }.makeIterator()
        return sessions.map { session in
            needsChild(session) ? rest.next() ?? .success([]) : .success(body(session))
        }
    }

    /// Runs code that touches what may not answer, each time in a child process with the ids of this one.
    ///
    /// - Parameters:
    ///   - count: how many times.
    ///   - end: the time limit, in monotonic microseconds.
    ///   - body: the work, by its index.
    /// - Returns: what `body` returned; an error if the child process did not answer.
    static func apart(
        _ count: Int, until end: Int64, _ body: (Int) -> [UInt8]
    ) -> [Result<[UInt8], SystemError>] {
        let (uid, gid, groups) = (CurrentProcess.euid, CurrentProcess.gid, CurrentProcess.groups)
        return ForkedChild.runAll(
            (0..<count).map { _ in .init(uid: uid, gid: gid, groups: groups) }, atOnce: atOnce, bounds(until: end),
            body: body)
    }

    /// The limits of a child process in one home.
    private static func bounds(until end: Int64) -> ForkedChild.Bounds {
        .init(answer: answerLimit, memory: memoryLimit, seconds: homeSeconds, end: end, permits: permits)
    }
}
