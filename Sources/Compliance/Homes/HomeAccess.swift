package import Engine
import Platform
import Policy
import Preferences
import PropertyList

/// Looks into users' homes with no more rights than each of them has.
package enum HomeAccess {
    /// How many homes are looked into at a time.
    private static let atOnce = 4
    /// How long looking into one home may take, in seconds.
    private static let homeSeconds = 5.0
    /// How long looking into all homes may take, in seconds.
    private static let allSeconds = 60.0
    /// The most bytes that are taken of what is found in one home.
    private static let answerLimit = 8 << 20
    /// How much memory a child may take beside what this process has: a hostile file costs no more.
    private static let memoryLimit = 512 << 20

    /// When looking into all homes has to be done, beginning now; in monotonic microseconds.
    package static func end() -> Int64 {
        Clock.monotonicMicroseconds() + Int64(allSeconds * 1_000_000)
    }

    /// Reads a user's preference files.
    ///
    /// - Returns: what was found; where nothing could be looked at, a problem says why.
    package static func read(_ session: UserSession) -> HomeReading {
        read([session], until: end())[0]
    }

    /// Reads the preference files of some users.
    ///
    /// Root of the system looks into a home only in a child that has taken the user's ids first, because the files in it
    /// are the user's and may be anything. Beneath a folder, and for the caller's own home, this process reads itself.
    ///
    /// - Parameters:
    ///   - sessions: the users.
    ///   - end: when all has to be done, in monotonic microseconds.
    /// - Returns: what was found of each; where nothing could be looked at, a problem says why.
    static func read(_ sessions: [UserSession], until end: Int64) -> [HomeReading] {
        let answers = asOwners(sessions, until: end) { session in
            HomeReader(
                preferences: session.preferences, resultant: session.resultant, setOnceFile: session.setOnceFile,
                spool: session.stateDirectory + "/spool.jsonl"
            ).read().encoded()
        }
        return zip(sessions, answers).map { session, answer in
            switch answer {
            case .success(let bytes): HomeReading(decoding: bytes) ?? unanswered(session, "its answer does not parse")
            case .failure(let error): unanswered(session, error.text, isPermission: error.isPermission)
            }
        }
    }

    /// What is known of a home that a child did not tell of.
    private static func unanswered(
        _ session: UserSession, _ reason: String, isPermission: Bool = false
    ) -> HomeReading {
        var reading = HomeReading()
        reading.waiting = nil
        reading.problems.append(
            HomeProblem(
                file: session.preferences.directory, position: nil,
                message: "could not be read as its owner: \(reason)", kind: isPermission ? .permission : .noAnswer))
        return reading
    }

    /// Whether this process has more rights than the user whose home it is.
    private static func needsChild(_ session: UserSession) -> Bool {
        session.machine.root.isSystem && CurrentProcess.euid == 0 && session.account.uid != 0
    }

    /// Does something in a user's home with no more rights than the user has.
    ///
    /// - Throws: where the child could not take the user's ids, or did not answer in time.
    static func asOwner(_ session: UserSession, _ body: () -> [UInt8]) throws(SystemError) -> [UInt8] {
        let answers = asOwners([session], until: end()) { _ in body() }
        return try answers[0].get()
    }

    /// Does something in each of some homes with no more rights than its user has.
    ///
    /// - Parameters:
    ///   - sessions: the users.
    ///   - end: when all has to be done, in monotonic microseconds.
    ///   - body: the work.
    /// - Returns: what `body` returned; an error where the child could not take the user's ids, or did not answer.
    static func asOwners(
        _ sessions: [UserSession], until end: Int64, _ body: (UserSession) -> [UInt8]
    ) -> [Result<[UInt8], SystemError>] {
        let others = sessions.filter(needsChild)
        let owners = others.map { session in
            ForkedChild.Owner(
                uid: session.account.uid, gid: session.account.gid,
                groups: session.machine.rightsSoFar(of: session.account))
        }
        let bounds = ForkedChild.Bounds(
            answer: answerLimit, memory: memoryLimit, seconds: homeSeconds, end: end)
        let answers =
            owners.isEmpty ? [] : ForkedChild.runAll(owners, atOnce: atOnce, bounds) { body(others[$0]) }
        var rest = answers.makeIterator()
        return sessions.map { session in
            needsChild(session) ? rest.next() ?? .success([]) : .success(body(session))
        }
    }
}
