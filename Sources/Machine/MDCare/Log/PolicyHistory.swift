package import MDAuditRecord
package import MDPlatform
import MDPropertyList
import MDTools

/// What changed in a period, by the audit log: on purpose, as a correction, or neither.
package struct PolicyHistory: Sendable {
    /// Why something changed; the raw value is printed in reports.
    package enum Kind: String, Sendable, CaseIterable {
        /// Somebody changed policy.
        case intended
        /// Somebody granted something for a time: an exam, a temporary policy, a waiver that was used.
        case granted
        /// What had drifted from policy was put right again.
        case corrective
        /// The log was mended, lost records, or a file was damaged: somebody should look.
        case suspicious
    }

    /// A change and why.
    package struct Change: Sendable {
        package let kind: Kind
        package let record: AuditRecord
    }

    /// The changes, oldest first.
    package private(set) var changes: [Change] = []
    /// The records that look like changes and have only the word of a user, oldest first.
    package private(set) var claims: [AuditRecord] = []
    /// The user that acts for the machine.
    private let owner: UInt32
    /// When the content of a file that is in force came into force, by path and digest.
    private var beginnings: [Version: Timestamp] = [:]

    private struct Version: Hashable {
        let file: Key
        let digest: Digest
    }

    package init(owner: UInt32) { self.owner = owner }

    /// Adds a record of any time to what is known of the beginnings of policy files.
    mutating func addBeginning(_ record: AuditRecord) {
        guard record.kind == .policy, !isClaim(record), let time = record.time, let file = record.policy?.file,
            let digest = record.policy?.sha256
        else { return }
        let version = Version(file: Key(file), digest: digest)
        // A version that comes back is in force since it came back.
        beginnings[version] = max(beginnings[version] ?? time, time)
    }

    /// Adds a record of the period, if it is a change.
    mutating func add(_ record: AuditRecord) {
        if isClaim(record) { return claims.append(record) }
        let kind: Kind
        switch record.kind {
        case .policy where PolicyHistory.isBreak(record): kind = .suspicious
        case .policy: kind = PolicyHistory.isCorrection(record) ? .corrective : .intended
        case .grant: kind = .granted
        case .recover, .gap, .damaged: kind = .suspicious
        default: return
        }
        changes.append(Change(kind: kind, record: record))
    }

    /// Whether a record has only the word of a user.
    ///
    /// Anybody can send what is damaged. Records of policy and grants are root's, also when they name another user, unless
    /// they come from a user's spool.
    private func isClaim(_ record: AuditRecord) -> Bool {
        guard let source = record.src, record.uid != owner else { return false }
        return record.kind == .damaged ? source.isOfSender : source == .spool
    }

    /// Sorts the changes and claims by their place in the log.
    mutating func sort() {
        claims.sort { $0.seq < $1.seq }
        changes.sort { $0.record.seq < $1.record.seq }
    }

    /// Since when a file has been in force with a content; `nil` if the log does not say.
    package func beginning(of file: String, _ digest: Digest) -> Timestamp? {
        beginnings[Version(file: Key(file), digest: digest)]
    }

    /// Whether a record says that a policy file became unusable.
    private static func isBreak(_ record: AuditRecord) -> Bool {
        record.note?.utf8.starts(with: "cannot be used".utf8) ?? false
    }

    /// Whether a record says that something was corrected: a broken file, or a program's file that had drifted.
    private static func isCorrection(_ record: AuditRecord) -> Bool {
        guard let note = record.note else { return false }
        return note.utf8.starts(with: "mended".utf8) || TextSearch.isPresent(": mended: ", in: note)
    }
}
