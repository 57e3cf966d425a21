package import Engine
import Platform
import Policy
import Preferences
import PropertyList

/// Looks into users' homes with no more rights than each of them has.
package enum HomeAccess {
    /// Reads a user's preference files.
    ///
    /// Root of the system looks into a home only in a child that has taken the user's ids first, because the files in it
    /// are the user's and may be anything. Beneath a folder, and for the caller's own home, this process reads itself.
    ///
    /// - Returns: what was found; where nothing could be looked at, a problem says why.
    package static func read(_ session: UserSession) -> HomeReading {
        let reader = HomeReader(
            preferences: session.preferences, resultant: session.resultant, setOnceFile: session.setOnceFile,
            spool: session.stateDirectory + "/spool.jsonl")
        guard needsChild(session) else { return reader.read() }
        var failed = HomeReading()
        let shown = session.preferences.directory
        do throws(SystemError) {
            let bytes = try asOwner(session) { reader.read().encoded() }
            if let reading = HomeReading(decoding: bytes) { return reading }
            failed.problems.append(
                HomeProblem(
                    file: shown, position: nil, message: "was read by a child whose answer does not parse",
                    isPermission: true))
        } catch {
            failed.problems.append(
                HomeProblem(
                    file: shown, position: nil, message: "could not be read as its owner: \(error.text)",
                    isPermission: true))
        }
        return failed
    }

    /// Whether this process has more rights than the user whose home it is.
    private static func needsChild(_ session: UserSession) -> Bool {
        session.machine.root.isSystem && CurrentProcess.euid == 0 && session.account.uid != 0
    }

    /// Does something in a user's home with no more rights than the user has.
    ///
    /// - Throws: where the child could not take the user's ids, or did not answer in time.
    static func asOwner(
        _ session: UserSession, within seconds: Double = 60, _ body: () -> [UInt8]
    ) throws(SystemError) -> [UInt8] {
        guard needsChild(session) else { return body() }
        let (machine, account) = (session.machine, session.account)
        return try ForkedChild.run(
            uid: account.uid, gid: account.gid, groups: machine.rightsSoFar(of: account), seconds: seconds, body: body)
    }
}
