import Engine
import Platform
import Policy
import PropertyList

extension HomeAccess {
    /// Looks whether marks stand in users' state folders.
    ///
    /// What comes back from a child is a byte and a digest for each mark, so that nothing that the user wrote reaches this
    /// process.
    ///
    /// - Parameters:
    ///   - asked: the users, each with the marks that are looked for.
    ///   - end: when all has to be done, in monotonic microseconds.
    /// - Returns: what became of each mark of each user; `nil` for a user whose home is not there, is empty as a folder is
    ///   that nothing is mounted on, or whose marks cannot be read; an error where the child did not answer.
    static func states(
        of asked: [(session: UserSession, marks: [SetOnceMark])], until end: Int64
    ) -> [Result<[MarkState]?, SystemError>] {
        let marks = Dictionary(asked.map { ($0.session.account.name, $0.marks) }, uniquingKeysWith: { one, _ in one })
        let answers = asOwners(asked.map(\.session), until: end) { session in
            guard let names = try? session.machine.root.names(in: session.account.home), !names.isEmpty,
                let found = try? session.setOnceFile.marks()
            else { return [] }
            return compare(marks[session.account.name] ?? [], with: found).flatMap(\.bytes)
        }
        return zip(asked, answers).map { asked, answer in
            answer.map { bytes in
                guard bytes.count == asked.marks.count * MarkState.byteCount else { return nil }
                let states = asked.marks.indices.compactMap { MarkState(bytes, at: $0 * MarkState.byteCount) }
                return states.count == asked.marks.count ? states : nil
            }
        }
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
