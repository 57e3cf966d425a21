package import Audit
package import Platform
package import Policy
package import PropertyList

/// Somebody's attempt to give a forced key another value, as it goes into the log.
package struct OverrideAttempt: Sendable {
    /// The entry that forces the key.
    package let entry: ResolvedEntry
    /// The value that was tried; `nil` for a removal.
    package let tried: Value?
    /// The way of the attempt.
    package let via: WriteVia
    /// What became of it.
    package let outcome: AttemptOutcome
    /// The domain that was written; that of the entry may be NSGlobalDomain.
    package let domain: Key

    /// Makes an attempt.
    package init(
        _ entry: ResolvedEntry, domain: Key, tried: Value?, via: WriteVia, outcome: AttemptOutcome
    ) {
        self.entry = entry
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
        var notes: [String] = []
        if let identity { notes.append("application \(identity.domain) by \(identity.source.rawValue)") }
        if !root.isSystem { notes.append("root \(root.path)") }
        var record = AuditRecord(
            kind: .override, src: .client, note: notes.isEmpty ? nil : notes.joined(separator: "; "))
        record.stamp(with: account)
        record.via = via
        record.domain = domain
        record.key = entry.key
        record.forced = entry.value.map { ValueSummary($0) }
        record.tried = tried.map { ValueSummary($0) }
        record.policy = PolicyReference(
            id: entry.origin.policy, file: entry.origin.file, line: entry.origin.position.line, sha256: entry.fileDigest
        )
        record.outcome = outcome
        return record
    }
}
