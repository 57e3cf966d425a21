package import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyModel
import MDPreferences
import MDTools

extension HomeAccess {
    /// Reads a user's preference files.
    ///
    /// - Returns: what was found; if nothing could be read, a problem says why.
    package static func read(_ session: UserSession) -> HomeInspection {
        read([session], until: end())[0]
    }

    /// Reads the preference files of some users.
    ///
    /// Root reads a home of the system only in a child process that takes the ids of the user first, because the user may
    /// have written anything there. Under a folder, and for the caller's own home, this process reads itself.
    ///
    /// - Parameters:
    ///   - sessions: the users.
    ///   - end: the time limit, in monotonic microseconds.
    /// - Returns: what was found for each; if nothing could be read, a problem says why.
    package static func read(_ sessions: [UserSession], until end: Int64) -> [HomeInspection] {
        // Without the right to read the register, what could not be removed from a spool counts as waiting.
        let register = sessions.first.flatMap { try? SpoolRegister(root: $0.machine.root) } ?? SpoolRegister()
        let answers = asOwners(sessions, until: end) { session in
            HomeReader(
                preferences: session.preferences, resultant: session.resultant,
                spool: session.stateDirectory + "/spool.jsonl",
                taken: register.taken[SpoolRegister.Owner(session)] ?? SpoolRegister.Taken()
            ).read().encoded()
        }
        return zip(sessions, answers).map { session, answer in
            switch answer {
            case .success(let bytes):
                HomeInspection(decoding: bytes) ?? unanswered(session, "its answer does not parse")
            case .failure(let error): unanswered(session, error.text, isPermission: error.isPermission)
            }
        }
    }

    /// The result for a home whose child process did not answer.
    private static func unanswered(
        _ session: UserSession, _ reason: String, isPermission: Bool = false
    ) -> HomeInspection {
        var inspection = HomeInspection()
        inspection.waiting = nil
        inspection.problems.append(
            HomeProblem(
                file: session.preferences.directory, position: nil,
                message: "could not be read as its owner: \(reason)", kind: isPermission ? .permission : .noAnswer))
        return inspection
    }
}
