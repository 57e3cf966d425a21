package import MDAuditClient
package import MDAuditRecord
package import MDPlatform
package import MDPolicyCore
import MDPolicyFormats
package import MDPolicyModel
import MDPolicyStore
import MDPreferences
package import MDPropertyList

/// A write that the audit log records: an override attempt, or a write that is refused because policy or the user is
/// unknown.
///
/// The latter overrides nothing that is known to be forced, so it is recorded apart from override attempts, as
/// `damaged`.
package struct RecordedWrite: Sendable {
    /// Why a write is recorded.
    private enum Reason: Sendable {
        /// The entry decides the key; if the user is unknown, the write is not an attempt.
        case forced(ResolvedEntry)
        /// The value is outside of the constraint, which leaves `kept` of it.
        case constrained(ResolvedConstraint, kept: Value?)
        /// Policy could not be read: why, as a clause.
        case unknownPolicy(String)
    }

    /// The domain that was written; that of the entry may be NSGlobalDomain.
    package let domain: Key
    /// The key; `nil` for the whole domain.
    package let key: Key?
    /// The value that was tried; `nil` for a removal.
    package let tried: Value?
    /// The way of the write.
    package let via: WriteVia
    /// What became of it.
    package let outcome: AttemptOutcome
    /// Whether no value is shown to people.
    package var isSensitive: Bool
    /// Why it is recorded.
    private let reason: Reason

    /// Makes a write to a key that an entry decides.
    package init(_ entry: ResolvedEntry, domain: Key, tried: Value?, via: WriteVia, outcome: AttemptOutcome) {
        (key, self.domain, self.tried, self.via, self.outcome) = (entry.key, domain, tried, via, outcome)
        if case .unknownPolicy = KeyRule(entry) {
            (reason, isSensitive) = (.unknownPolicy(entry.description), true)
        } else {
            (reason, isSensitive) = (.forced(entry), entry.metadata.isSensitive)
        }
    }

    /// Makes an attempt to leave a constraint; `kept` is what becomes of the value, `nil` if nothing does.
    package init(
        _ constraint: ResolvedConstraint, kept: Value?, domain: Key, tried: Value?, via: WriteVia,
        outcome: AttemptOutcome
    ) {
        (key, self.domain, self.tried, self.via) = (constraint.entry.key, domain, tried, via)
        (self.outcome, reason) = (outcome, .constrained(constraint, kept: kept))
        isSensitive = constraint.metadata.isSensitive
    }

    /// Makes a write that is refused while policy could not be read.
    ///
    /// - Parameters:
    ///   - key: the key; `nil` for the whole domain.
    ///   - domain: the domain.
    ///   - tried: the value; `nil` for a removal.
    ///   - via: the way of the write.
    ///   - failure: why policy could not be read, as a clause.
    package init(_ key: Key?, domain: Key, tried: Value?, via: WriteVia, because failure: String) {
        (self.key, self.domain, self.tried, self.via, outcome) = (key, domain, tried, via, .refused)
        // Whether a key is sensitive is something that policy says.
        (reason, isSensitive) = (.unknownPolicy(failure), true)
    }

    /// Whether the write is an override attempt; not if it is unknown what policy says of the key for the user.
    package var isAttempt: Bool { unknown == nil }

    /// What is unknown, as a sentence without its full stop; `nil` for an override attempt.
    private var unknown: String? {
        switch reason {
        case .unknownPolicy(let reason): return "what is forced is unknown: \(reason)"
        case .forced(let entry):
            guard case .unknownUser = KeyRule(entry) else { return nil }
            return "a policy file for some users lists the key, and who this user is is unknown"
        case .constrained: return nil
        }
    }

    /// The value that counts by policy: the forced one, or the one that a constraint leaves; `nil` if there is none.
    package var forced: Value? {
        switch reason {
        case .forced(let entry): isAttempt ? entry.value : nil
        case .constrained(_, let kept): kept
        case .unknownPolicy: nil
        }
    }

    /// The place of the entry or the constraint; `nil` if policy could not be read.
    package var origin: Origin? {
        switch reason {
        case .forced(let entry): entry.origin
        case .constrained(let constraint, _): constraint.entry.origin
        case .unknownPolicy: nil
        }
    }

    /// The digest of the policy file.
    private var fileDigest: Digest? {
        switch reason {
        case .forced(let entry): entry.fileDigest
        case .constrained(let constraint, _): constraint.fileDigest
        case .unknownPolicy: nil
        }
    }

    /// Makes the audit record.
    ///
    /// - Parameters:
    ///   - account: the user whose settings were written.
    ///   - root: the root of the machine; records of a folder say so.
    ///   - identity: which application it was and how that is known; `nil` for the command line.
    /// - Returns: a record without place and time, which the log gives it.
    package func record(of account: Account, root: Root, identity: ApplicationIdentity?) -> AuditRecord {
        let domains = [domain, identity?.domain ?? domain, DomainName.global]
        let isSensitive = isSensitive || key.map { ManifestSecrecy.isSensitive($0, in: domains, root: root) } ?? true
        var record = blankRecord(of: account, root: root, identity: identity, isSensitive: isSensitive)
        if isSensitive {
            let key = HostKey.readOrMake(of: root)
            record.forced = forced.map { ValueSummary(sensitive: $0, under: key) }
            record.tried = tried.map { ValueSummary(sensitive: $0, under: key) }
        } else {
            record.forced = forced.map { ValueSummary($0) }
            record.tried = tried.map { ValueSummary($0) }
        }
        return record
    }

    /// Makes the audit record without the values.
    ///
    /// - Parameters:
    ///   - account: the user whose settings were written.
    ///   - root: the root of the machine.
    ///   - identity: which application it was; `nil` for the command line.
    ///   - isSensitive: whether no value may be part of it.
    /// - Returns: the record.
    func blankRecord(
        of account: Account, root: Root, identity: ApplicationIdentity?, isSensitive: Bool = false
    ) -> AuditRecord {
        var notes = unknown.map { [$0] } ?? []
        if case .constrained(let constraint, _) = reason {
            notes.append(
                AuditRecord.allowedNote + (isSensitive ? AuditRecord.hiddenNote : constraint.entry.constraint.words))
        }
        if let identity { notes.append("application \(identity.domain) by \(identity.source.rawValue)") }
        if !root.isSystem { notes.append("root \(root.path)") }
        var record = AuditRecord(
            kind: isAttempt ? .override : .damaged, src: .client,
            note: notes.isEmpty ? nil : notes.joined(separator: "; "))
        record.stamp(with: account)
        (record.via, record.domain, record.key) = (via, domain, key)
        record.policy = origin.map {
            PolicyReference(id: $0.policy, file: $0.file, line: $0.position.line, sha256: fileDigest)
        }
        record.outcome = isAttempt ? outcome : .refused
        return record
    }
}

extension AuditRecord {
    /// Names the user whose settings are concerned; the reporter adds what the kernel says of this process.
    package mutating func stamp(with account: Account?) {
        uid = account?.uid
        user = account?.name
    }
}

/// The destination of a store's audit records: the log or spool of a machine, or the memory of a test.
package protocol AuditSink: Sendable {
    /// Stores or counts a record.
    func report(_ record: AuditRecord) -> Delivery
    /// Stores or counts a write; making its record reads manifests and the machine's key.
    func report(_ write: RecordedWrite, as record: @autoclosure () -> AuditRecord) -> Delivery
    /// Stores the counts of equal attempts.
    func flush() -> [Delivery]
}

extension AuditSink {
    /// Stores or counts the record of a write.
    package func report(_ write: RecordedWrite, as record: @autoclosure () -> AuditRecord) -> Delivery {
        report(record())
    }
}

extension AuditReporter: AuditSink {}

extension AttemptChannel: AuditSink {}
