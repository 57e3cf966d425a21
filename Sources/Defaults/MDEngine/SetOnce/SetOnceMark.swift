package import MDAuditClient
package import MDAuditRecord
import MDPlatform
package import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPreferences
package import MDPropertyList

extension SetOnceMark {
    /// The mark that an entry leaves when it is written now.
    package init(_ entry: ResolvedEntry) {
        self.init(
            policy: Key(entry.origin.policy),
            occasion: Key(entry.rule.occasion(version: entry.policyVersion) ?? SetOnceMark.session),
            domain: entry.domain, key: entry.key)
    }

    /// Whether the audit service remembers such marks; those of a session come and go by themselves.
    var isLasting: Bool { sessionPlace == nil }

    /// What the occasion of an entry begins with that is written in each login session.
    private static let sessionMark = "session "

    /// The login session of this process; without one, the time since the boot counts as one.
    private static var session: String {
        let number = CurrentProcess.sessionID.map { $0 == .max ? "none" : String($0) } ?? "none"
        return "\(sessionMark)\(number) of \(Machine.bootID() ?? "an unknown boot")"
    }

    /// What a mark of a session has in common with those of other sessions, which need not be remembered beside it;
    /// `nil` for any other mark.
    var sessionPlace: [Key]? {
        occasion.string.utf8.starts(with: SetOnceMark.sessionMark.utf8) ? [domain, key, policy] : nil
    }
}

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

    /// The mark of a record about an entry that was set once; `nil` for any other record.
    package var setOnceMark: SetOnceMark? {
        let start = AuditRecord.setOnceNote + ", "
        guard kind == .policy, let note = noteOfOrigin, note.hasPrefix(start), let domain, let key, let id = policy?.id
        else { return nil }
        return SetOnceMark(
            policy: Key(id), occasion: Key(String(note.dropFirst(start.count))), domain: domain, key: key)
    }
}

extension ResultantSet {
    /// The entries of a domain that are to be set once, whether they were or not.
    ///
    /// Those of keys that are forced wait until they are not. An entry is left out if a constraint leaves nothing of
    /// it.
    package func setOnceEntries(of domain: Key) -> [Key: ResolvedEntry] {
        guard let entries = setOnce[domain], !entries.isEmpty else { return [:] }
        let domains = SearchOrder(ofOther: domain).forcingDomains
        return entries.filter { key, entry in
            !rule(of: key, in: domains).isForced && setOnceValue(of: entry) != nil
        }
    }

    /// The value that an entry writes: its own, or what a constraint leaves of it.
    package func setOnceValue(of entry: ResolvedEntry) -> Value? {
        guard let value = entry.value else { return nil }
        guard let constraint = constraint(of: entry.key, in: [entry.domain, DomainName.global]) else { return value }
        return constraint.clamp(value)
    }
}
