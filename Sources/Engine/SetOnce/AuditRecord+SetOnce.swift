package import Audit
package import Platform
import Policy
import PropertyList

extension AuditRecord {
    /// The record of an entry that was set once.
    init(setOnce entry: ResolvedEntry, _ mark: SetOnceMark) {
        self.init(kind: .policy, src: .client, note: "\(AuditRecord.setOnceNote), \(mark.occasion)")
        domain = entry.domain
        key = entry.key
        policy = PolicyReference(
            id: entry.origin.policy, file: entry.origin.file, line: entry.origin.position.line, sha256: entry.fileDigest
        )
    }

    /// The record of a mark that was there and is gone, or is changed.
    package init(lost mark: SetOnceMark, isChanged: Bool, of account: Account) {
        self.init(
            kind: .policy, src: .scan,
            note: "\(isChanged ? AuditRecord.changedMarkNote : AuditRecord.goneMarkNote), \(mark.occasion)")
        stamp(with: account)
        domain = mark.domain
        key = mark.key
        policy = PolicyReference(id: mark.policy.string)
    }

    /// What the note of a record begins with that tells of an entry that was set once.
    private static let setOnceNote = "set once"
    /// What the note of a record begins with that tells of a mark that is gone.
    private static let goneMarkNote = "set-once mark gone"
    /// What the note of a record begins with that tells of a mark that is changed.
    private static let changedMarkNote = "set-once mark changed"

    /// The mark that a record of an entry that was set once tells of; `nil` for any other record.
    package var setOnceMark: SetOnceMark? { mark(behind: AuditRecord.setOnceNote) }

    /// The mark that a record says is gone or changed; `nil` for any other record.
    package var lostMark: (mark: SetOnceMark, isChanged: Bool)? {
        if let mark = mark(behind: AuditRecord.goneMarkNote) { return (mark, false) }
        return mark(behind: AuditRecord.changedMarkNote).map { ($0, true) }
    }

    /// The mark that a record tells of whose note begins with these words.
    private func mark(behind words: String) -> SetOnceMark? {
        let start = words + ", "
        guard kind == .policy, let note = noteOfOrigin, note.hasPrefix(start), let domain, let key, let id = policy?.id
        else { return nil }
        return SetOnceMark(
            domain: domain, key: key, policy: Key(id), occasion: Key(String(note.dropFirst(start.count))))
    }
}
