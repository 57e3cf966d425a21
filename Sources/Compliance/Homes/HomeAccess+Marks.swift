import Engine
import Platform
import Policy

extension HomeAccess {
    /// Looks whether marks stand in a user's state folder.
    ///
    /// What comes back from the child is a byte for each mark, so that nothing that the user wrote reaches this process.
    ///
    /// - Parameters:
    ///   - marks: what is looked for.
    ///   - session: the user.
    ///   - seconds: how long it may take.
    /// - Returns: what became of each; `nil` where nobody can tell: the home is not there, is empty as a folder is that
    ///   nothing is mounted on, or the marks cannot be read in that time.
    static func states(of marks: [SetOnceMark], _ session: UserSession, within seconds: Double) -> [MarkState]? {
        let (root, home, file) = (session.machine.root, session.account.home, session.setOnceFile)
        let answer = try? asOwner(session, within: seconds) {
            guard let names = try? root.names(in: home), !names.isEmpty, let found = try? file.marks() else {
                return []
            }
            return compare(marks, with: found).map(\.rawValue)
        }
        let states = (answer ?? []).compactMap { MarkState(rawValue: $0) }
        return states.count == marks.count ? states : nil
    }

    /// What became of each of some marks.
    ///
    /// - Parameters:
    ///   - marks: what is looked for.
    ///   - found: what stands in the file.
    /// - Returns: a state for each mark.
    static func compare(_ marks: [SetOnceMark], with found: [SetOnceMark]) -> [MarkState] {
        let present = Set(found)
        // What stands there without a reason has come in the place of something.
        let places = Set(present.subtracting(marks).map { [$0.domain, $0.key, $0.policy] })
        return marks.map { mark in
            if present.contains(mark) { return .present }
            return places.contains([mark.domain, mark.key, mark.policy]) ? .changed : .gone
        }
    }
}
