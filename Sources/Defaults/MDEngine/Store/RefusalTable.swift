package import MDAuditClient
import MDAuditRecord
package import MDPlatform
package import MDPolicyCore
import MDPolicyModel
import MDPreferences
import MDPropertyList

/// The refusal of a forced key whose policy says `refuse`, made once and used by every attempt to set the key.
package final class Refusal: Sendable {
    /// The entry that forces the key.
    package let entry: ResolvedEntry
    /// The sentence for the user.
    package let message: String
    /// The path of the policy file.
    package let file: String
    /// The root that the policy file belongs to.
    package let root: Root
    /// What the audit log records, but for the value.
    package let attempt: PreparedAttempt

    /// Prepares a refusal.
    init(_ entry: ResolvedEntry, _ attempt: PreparedAttempt, in root: Root) {
        self.entry = entry
        self.attempt = attempt
        self.root = root
        message = entry.refusal(in: root)
        file = root.display(entry.origin.file)
    }
}

/// What one view refuses, as long as its forced layers stay as they are: writers ask it without the store's lock.
final class RefusalTable: Sendable {
    /// What all records of the view have in common.
    struct Context: Sendable {
        /// The user whose settings are written.
        let account: Account
        /// The root that policy belongs to.
        let root: Root
        /// The application.
        let identity: ApplicationIdentity
        /// The domain that is written.
        let domain: Key
        /// Whether the machine has manifests, which make the values of further keys secret.
        let hasManifests: Bool
    }

    /// The most keys whose refusals are kept; a seal forces any number.
    private static let limit = 4_096

    /// The forced layers, in the order of the search.
    private let layers: [ViewLayer]
    /// What policy says of secrecy.
    private let resultant: ResultantSet
    /// What all records have in common.
    private let context: Context
    /// The refusals that were made so far.
    private let known = Guarded<[Key: Refusal]>([:])

    /// Makes the table of some layers.
    init(_ layers: [ViewLayer], _ resultant: ResultantSet, _ context: Context) {
        self.layers = layers
        self.resultant = resultant
        self.context = context
    }

    /// The refusal of a write; `nil` if the write may have another outcome.
    ///
    /// Complexity: O(forced layers), after the first refusal of the key.
    func refusal(of key: Key, _ value: Value) -> Refusal? {
        guard layers.contains(where: { $0.mayForce(key) }) else { return nil }
        let refusal: Refusal
        if let found = known.tryWithLock({ $0[key] }) ?? nil {
            refusal = found
        } else {
            guard let entry = entry(of: key) else { return nil }
            refusal = make(entry)
            _ = known.tryWithLock { known in
                if known.count < RefusalTable.limit { known[key] = refusal }
            }
        }
        if let forced = refusal.entry.value, value == forced { return nil }
        return refusal
    }

    /// The entry that forces a key and refuses writes; `nil` if there is none, or if it is unknown whether the key is
    /// forced.
    private func entry(of key: Key) -> ResolvedEntry? {
        switch layers.rule(of: key, under: [:]) {
        case .forced(let entry), .absent(let entry), .sealed(let entry): entry.onOverride == .refuse ? entry : nil
        case .free, .constrained, .unknownUser, .unknownPolicy: nil
        }
    }

    /// Prepares the refusal of an entry.
    private func make(_ entry: ResolvedEntry) -> Refusal {
        let (key, context) = (entry.key, context)
        let domains = [context.domain, context.identity.domain, DomainName.global]
        let isSecret: Bool? =
            entry.metadata.isSensitive || resultant.isSensitive(key, in: domains)
            ? true : context.hasManifests ? nil : false
        let write = RecordedWrite(entry, domain: context.domain, tried: nil, via: .set, outcome: .refused)
        let record = write.blankRecord(of: context.account, root: context.root, identity: context.identity)
        let attempt = PreparedAttempt(record, forced: entry.value, isSecret: isSecret) {
            ManifestSecrecy.isSensitive(key, in: domains, root: context.root)
        }
        return Refusal(entry, attempt, in: context.root)
    }
}
