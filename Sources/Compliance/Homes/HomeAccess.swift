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
        let reader = HomeReader(preferences: session.preferences, resultant: session.resultant)
        let account = session.account
        let needsChild =
            session.machine.root.isSystem && CurrentProcess.euid == 0 && account.uid != 0
        guard needsChild else { return reader.read() }
        var failed = HomeReading()
        let shown = session.preferences.directory
        do throws(SystemError) {
            let subject = session.machine.subject(for: account)
            let bytes = try ForkedChild.run(uid: account.uid, gid: subject.gid, groups: subject.groups) {
                reader.read().encoded()
            }
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
}
