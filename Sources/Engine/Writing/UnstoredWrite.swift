package import Audit
package import Platform
package import Policy
import Preferences
package import PropertyList

/// A write that was refused because it is unknown what policy says: policy could not be read, or who the user is is unknown.
///
/// It overrides nothing that is known to be forced, so it is recorded apart from override attempts, as `damaged`.
package struct UnstoredWrite: Sendable {
    /// The domain.
    package let domain: Key
    /// The key; `nil` for the whole domain.
    package let key: Key?
    /// The value that was tried; `nil` for a removal.
    package let tried: Value?
    /// The way of the write.
    package let via: WriteVia
    /// The place of the entry that may be meant for the user; `nil` if no policy is known.
    private let policy: PolicyReference?
    /// What is unknown, as a sentence without its full stop.
    private let reason: String
    /// Whether no value is shown to people.
    package var isSensitive: Bool

    /// Makes a write that was refused while policy could not be read.
    ///
    /// - Parameters:
    ///   - key: the key; `nil` for the whole domain.
    ///   - domain: the domain.
    ///   - tried: the value; `nil` for a removal.
    ///   - via: the way of the write.
    ///   - uncertainty: why policy could not be read, as a clause.
    package init(_ key: Key?, domain: Key, tried: Value?, via: WriteVia, because uncertainty: String) {
        (self.key, self.domain, self.tried, self.via) = (key, domain, tried, via)
        policy = nil
        reason = "what is forced is unknown: \(uncertainty)"
        // Whether a key is sensitive is something that policy says.
        isSensitive = true
    }

    /// Makes a write that was refused by an entry that may or may not be meant for the user.
    ///
    /// - Parameters:
    ///   - entry: the entry, whose ``ResolvedEntry/isUndecided`` is true.
    ///   - domain: the domain that was written; that of the entry may be NSGlobalDomain.
    ///   - tried: the value; `nil` for a removal.
    ///   - via: the way of the write.
    package init(under entry: ResolvedEntry, domain: Key, tried: Value?, via: WriteVia) {
        if entry.isUnknown {
            self.init(entry.key, domain: domain, tried: tried, via: via, because: entry.description)
            return
        }
        self.init(
            key: entry.key, domain: domain, tried: tried, via: via,
            policy: PolicyReference(
                id: entry.origin.policy, file: entry.origin.file, line: entry.origin.position.line,
                sha256: entry.fileDigest),
            reason: "a policy file for some users lists the key, and who this user is is unknown",
            isSensitive: entry.metadata.isSensitive)
    }

    /// Makes a write of everything that is known of it.
    private init(
        key: Key?, domain: Key, tried: Value?, via: WriteVia, policy: PolicyReference?, reason: String,
        isSensitive: Bool
    ) {
        (self.key, self.domain, self.tried, self.via) = (key, domain, tried, via)
        (self.policy, self.reason, self.isSensitive) = (policy, reason, isSensitive)
    }

    /// The record of the write.
    ///
    /// - Parameters:
    ///   - account: the user whose settings were written.
    ///   - root: the root of the machine; records of a folder say so.
    ///   - identity: which application it was and how that is known; `nil` for the command line.
    /// - Returns: a record without place and time, which the log gives it.
    package func record(of account: Account, root: Root, identity: ApplicationIdentity?) -> AuditRecord {
        var notes = [reason]
        if let identity { notes.append("application \(identity.domain) by \(identity.source.rawValue)") }
        if !root.isSystem { notes.append("root \(root.path)") }
        var record = AuditRecord(kind: .damaged, src: .client, note: notes.joined(separator: "; "))
        record.stamp(with: account)
        (record.via, record.domain, record.key) = (via, domain, key)
        let domains = [domain, identity?.domain ?? domain, DomainName.global]
        if isSensitive || key.map({ ManifestSecrecy.isSensitive($0, in: domains, root: root) }) ?? true {
            let key = HostKey(of: root)
            record.tried = tried.map { ValueSummary(sensitive: $0, under: key) }
        } else {
            record.tried = tried.map { ValueSummary($0) }
        }
        record.policy = policy
        record.outcome = .refused
        return record
    }
}
