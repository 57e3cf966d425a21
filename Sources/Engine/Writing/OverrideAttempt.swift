package import Audit
package import Platform
package import Policy
import Preferences
package import PropertyList

/// Somebody's attempt to give a key a value that policy does not allow, as it goes into the log.
package struct OverrideAttempt: Sendable {
    /// The key.
    package let key: Key
    /// The value that counts by policy: the forced one, or the bound that a constraint leaves; `nil` where there is none.
    package let forced: Value?
    /// Where the entry or the constraint stands.
    package let origin: Origin
    /// The digest of its file.
    package let fileDigest: Digest
    /// What the constraint allows, in words; `nil` for a forced key.
    package let allowed: String?
    /// Whether no value is shown to anybody.
    package var isSensitive: Bool
    /// The value that was tried; `nil` for a removal.
    package let tried: Value?
    /// The way of the attempt.
    package let via: WriteVia
    /// What became of it.
    package let outcome: AttemptOutcome
    /// What the note of a record begins with whose value is outside of a constraint; what is allowed follows.
    package static let allowedMark = "allowed: "
    /// The domain that was written; that of the entry may be NSGlobalDomain.
    package let domain: Key

    /// Makes an attempt.
    package init(
        _ entry: ResolvedEntry, domain: Key, tried: Value?, via: WriteVia, outcome: AttemptOutcome
    ) {
        key = entry.key
        forced = entry.value
        origin = entry.origin
        fileDigest = entry.fileDigest
        allowed = nil
        isSensitive = entry.metadata.isSensitive
        self.domain = domain
        self.tried = tried
        self.via = via
        self.outcome = outcome
    }

    /// Makes an attempt to leave a constraint; `kept` is what becomes of the value, or `nil` where nothing does.
    package init(
        _ constraint: ResolvedConstraint, kept: Value?, domain: Key, tried: Value?, via: WriteVia,
        outcome: AttemptOutcome
    ) {
        key = constraint.entry.key
        forced = kept
        origin = constraint.entry.origin
        fileDigest = constraint.fileDigest
        isSensitive = constraint.metadata.isSensitive
        allowed = constraint.entry.constraint.words
        self.domain = domain
        self.tried = tried
        self.via = via
        self.outcome = outcome
    }

    /// The record of the attempt.
    ///
    /// - Parameters:
    ///   - account: the user whose settings were written.
    ///   - root: the root of the machine; records of a folder say so.
    ///   - identity: which application it was and how that is known; `nil` for the command line.
    /// - Returns: a record without place and time, which the log gives it.
    package func record(of account: Account, root: Root, identity: ApplicationIdentity?) -> AuditRecord {
        let domains = [domain, identity?.domain ?? domain, DomainName.global]
        let isSensitive = isSensitive || ManifestSecrecy.isSensitive(key, in: domains, root: root)
        let allowed = allowed.map { isSensitive ? "what policy says" : $0 }
        var notes = allowed.map { [OverrideAttempt.allowedMark + $0] } ?? []
        if let identity { notes.append("application \(identity.domain) by \(identity.source.rawValue)") }
        if !root.isSystem { notes.append("root \(root.path)") }
        var record = AuditRecord(
            kind: .override, src: .client, note: notes.isEmpty ? nil : notes.joined(separator: "; "))
        record.stamp(with: account)
        record.via = via
        record.domain = domain
        record.key = key
        if isSensitive {
            let key = HostKey(of: root)
            record.forced = forced.map { ValueSummary(sensitive: $0, under: key) }
            record.tried = tried.map { ValueSummary(sensitive: $0, under: key) }
        } else {
            record.forced = forced.map { ValueSummary($0) }
            record.tried = tried.map { ValueSummary($0) }
        }
        record.policy = PolicyReference(
            id: origin.policy, file: origin.file, line: origin.position.line, sha256: fileDigest)
        record.outcome = outcome
        return record
    }
}
