import MDAuditClient
package import MDAuditRecord
package import MDPlatform
package import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPreferences
package import MDPropertyList

/// The mark of an entry that was set once: the policy, its version and the key.
package struct SetOnceMark: Hashable, Sendable {
    /// The domain.
    package let domain: Key
    /// The key.
    package let key: Key
    /// The identifier of the policy.
    package let policy: Key
    /// What makes the entry a new one: `version 3`, `stamp spring`, `session 5 of BOOT`.
    package let occasion: Key
    /// A random word by which a mark that was made anew differs from the one before it; `nil` if it is not needed, and
    /// in marks that were made before there were such words.
    package let word: Key?

    /// Makes a mark of the fields of a file.
    package init(domain: Key, key: Key, policy: Key, occasion: Key, word: Key? = nil) {
        (self.domain, self.key, self.policy, self.occasion) = (domain, key, policy, occasion)
        self.word = word
    }

    /// The mark without its word: what two marks of one setting have in common.
    package var plain: SetOnceMark { SetOnceMark(domain: domain, key: key, policy: policy, occasion: occasion) }

    /// The mark with a word of its own.
    var coined: SetOnceMark {
        let word = Key(String(UInt64.random(in: .min ... .max), radix: 16))
        return SetOnceMark(domain: domain, key: key, policy: policy, occasion: occasion, word: word)
    }

    /// The mark that an entry leaves when it is written now, without a word.
    package init(_ entry: ResolvedEntry) {
        domain = entry.domain
        key = entry.key
        policy = Key(entry.origin.policy)
        occasion = Key(entry.rule.occasion(version: entry.policyVersion) ?? SetOnceMark.session)
        word = nil
    }

    /// The mark as the audit service remembers it; `nil` for one of a session, which comes and goes by itself.
    var lasting: ServiceMark? {
        sessionPlace == nil ? ServiceMark(policy: policy, occasion: occasion, domain: domain, key: key) : nil
    }

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

    /// The first words of the note about a mark that is gone.
    private static let goneMarkNote = "set-once mark gone"
    /// The first words of the note about a mark that is changed.
    private static let changedMarkNote = "set-once mark changed"

    /// The mark of a record about an entry that was set once; `nil` for any other record.
    package var setOnceMark: SetOnceMark? { mark(behind: AuditRecord.setOnceNote) }

    /// The mark that a record says is gone or changed; `nil` for any other record.
    package var lostMark: (mark: SetOnceMark, isChanged: Bool)? {
        if let mark = mark(behind: AuditRecord.goneMarkNote) { return (mark, false) }
        return mark(behind: AuditRecord.changedMarkNote).map { ($0, true) }
    }

    /// The mark of a record whose note begins with these words.
    private func mark(behind words: String) -> SetOnceMark? {
        let start = words + ", "
        guard kind == .policy, let note = noteOfOrigin, note.hasPrefix(start), let domain, let key, let id = policy?.id
        else { return nil }
        return SetOnceMark(
            domain: domain, key: key, policy: Key(id), occasion: Key(String(note.dropFirst(start.count))))
    }
}

extension ResultantSet {
    /// The entries of a domain that are to be set once and were not yet.
    ///
    /// Those of keys that are forced wait until they are not, and one that a constraint leaves nothing of is none.
    ///
    /// - Parameters:
    ///   - domain: the domain.
    ///   - marks: what was set before.
    /// - Returns: the entries by key.
    package func pendingSetOnce(of domain: Key, marks: [SetOnceMark]) -> [Key: ResolvedEntry] {
        guard let entries = setOnce[domain], !entries.isEmpty else { return [:] }
        let known = Set(marks.map(\.plain))
        let domains = SearchOrder(ofOther: domain).forcingDomains
        return entries.filter { key, entry in
            !known.contains(SetOnceMark(entry)) && !rule(of: key, in: domains).isForced
                && setOnceValue(of: entry) != nil
        }
    }

    /// The value that an entry writes: its own, or what a constraint leaves of it.
    package func setOnceValue(of entry: ResolvedEntry) -> Value? {
        guard let value = entry.value else { return nil }
        guard let constraint = constraint(of: entry.key, in: [entry.domain, DomainName.global]) else { return value }
        return constraint.clamp(value)
    }
}

/// What became of the entries of a domain that are set once.
enum SetOnceResult {
    /// There was nothing to do.
    case nothing
    /// These were written.
    case written([Key: Value])
    /// These count all the same, but could not be written or remembered, for this reason.
    case failed([Key: Value], String)

    /// A sentence that says why something that is to be set once is not stored.
    static func sentence(about domain: Key, _ reason: String) -> String {
        "What policy sets once in \(Printable.escape(domain.string)) was not stored and comes again: \(reason)"
    }
}

extension SetOnceBook {
    /// Writes what is to be set once in a domain.
    ///
    /// The order makes it safe: values on disk, then the audit records, then the marks. A process that is killed in
    /// between has set a value that is set once more later; nothing is lost. What the audit service remembers was set
    /// before, whatever the user did to the own marks.
    ///
    /// - Parameters:
    ///   - domain: the domain.
    ///   - resultant: what policy says.
    ///   - save: writes values of the domain durably.
    ///   - record: records an entry that was written, if the audit service did not.
    /// - Returns: what was done.
    func apply(
        _ domain: Key, _ resultant: ResultantSet, save: ([Key: Value]) throws(PreferencesError) -> Void,
        record: (ResolvedEntry, SetOnceMark) -> Void
    ) -> SetOnceResult {
        guard resultant.setOnce[domain]?.isEmpty == false else { return .nothing }
        // Usually everything was set long ago, and the lock is not needed.
        if let marks = try? marks(), resultant.pendingSetOnce(of: domain, marks: marks).isEmpty { return .nothing }
        var result = SetOnceResult.nothing
        do {
            try update { marks in
                var pending = resultant.pendingSetOnce(of: domain, marks: marks)
                guard !pending.isEmpty else { return nil }
                let known = remembered(pending.values.map { SetOnceMark($0) })
                pending = pending.filter { !known.contains(SetOnceMark($0.value)) }
                let marks = marks + known.map(\.coined)
                if pending.isEmpty { return marks }
                let values = pending.compactMapValues { resultant.setOnceValue(of: $0) }
                do throws(PreferencesError) {
                    try save(values)
                } catch {
                    result = .failed(values, error.description)
                    return nil
                }
                result = .written(values)
                let new = pending.values.sorted { $0.key < $1.key }.map { ($0, SetOnceMark($0)) }
                if !remember(new.map(\.1)) {
                    for (entry, mark) in new { record(entry, mark) }
                }
                let places = Set(new.compactMap(\.1.sessionPlace))
                return marks.filter { $0.sessionPlace.map { !places.contains($0) } ?? true } + new.map(\.1.coined)
            }
        } catch {
            if case .written(let values) = result { return .failed(values, "\(error).") }
            let pending = resultant.pendingSetOnce(of: domain, marks: (try? marks()) ?? [])
            return .failed(pending.compactMapValues { resultant.setOnceValue(of: $0) }, "\(error).")
        }
        return result
    }
}

extension ResultantSet {
    /// The marks, without words, that applications leave when they set what policy says now, those of sessions left
    /// out: they come and go by themselves.
    package var lastingMarks: [SetOnceMark] {
        let entries = setOnce.values.flatMap(\.values).filter { $0.rule != .eachSession }
        return entries.map { SetOnceMark($0) }.sorted {
            ($0.domain, $0.key, $0.policy) < ($1.domain, $1.key, $1.policy)
        }
    }
}
