import Engine
import Platform
import Policy
import PropertyList

extension HomeAccess {
    /// Looks whether marks stand in a user's state folder.
    ///
    /// What comes back from the child is a byte and a digest for each mark, so that nothing that the user wrote reaches this
    /// process.
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
            return compare(marks, with: found).flatMap(\.bytes)
        }
        guard let answer, answer.count == marks.count * MarkState.byteCount else { return nil }
        let states = marks.indices.compactMap { MarkState(answer, at: $0 * MarkState.byteCount) }
        return states.count == marks.count ? states : nil
    }

    /// What became of each of some marks.
    ///
    /// - Parameters:
    ///   - marks: what is looked for, without words.
    ///   - found: what stands in the file.
    /// - Returns: a state for each mark.
    static func compare(_ marks: [SetOnceMark], with found: [SetOnceMark]) -> [MarkState] {
        // A setting has one mark. Of several all words count, so that nobody keeps the old one beside a new one.
        let present = Dictionary(grouping: found, by: \.plain)
        // What stands there without a reason has come in the place of something.
        let places = Set(Set(present.keys).subtracting(marks).map { [$0.domain, $0.key, $0.policy] })
        return marks.map { mark in
            if let same = present[mark] { return .present(digest(of: same)) }
            return places.contains([mark.domain, mark.key, mark.policy]) ? .changed : .gone
        }
    }

    /// The digest of the words of some marks; a mark without a word has an empty one.
    static func digest(of marks: [SetOnceMark]) -> Digest {
        SHA256.hash(Array(marks.map { $0.word?.string.utf8.map { $0 } ?? [] }.joined(separator: [0x0a])))
    }
}
