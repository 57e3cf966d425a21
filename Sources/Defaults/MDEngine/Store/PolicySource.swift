import MDPlatform
package import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPreferences
package import MDPropertyList

/// The source of a store's policy: a machine, or a test.
package protocol PolicySource: Sendable {
    /// Reads policy as it is in force now, for the store's user.
    ///
    /// - Parameter domains: the domains in use; `nil` for all. The answer may contain more, which costs time.
    /// - Returns: what is left for the user, in these domains at least, and what is known of it; its next change is the
    ///   moment at which policy is to be read again.
    /// - Throws: why policy is unknown.
    func read(_ domains: Set<Key>?) throws(SessionError) -> ResultantSet
    /// The folders, under the root, whose changes may change policy, by the last reading.
    var folders: [String] { get }
    /// The file that changes with policy while ``isAnnounced`` is true; `nil` if there never is one.
    var announcement: String? { get }
    /// Whether the audit service watches policy and time, and changes ``announcement`` at each change.
    ///
    /// Its end, however it comes, is a change of that file too.
    var isAnnounced: Bool { get }
}

extension PolicySource {
    /// None.
    package var announcement: String? { nil }
    /// Never.
    package var isAnnounced: Bool { false }
}

/// Policy of a machine for one of its users.
struct MachinePolicySource: PolicySource {
    /// The machine.
    let machine: PolicyMachine
    /// The user.
    let account: Account
    /// The policy that named the user, for the first reading.
    private let first = Guarded<PolicyInForce?>(resettable: nil)
    /// The folders whose changes may change policy, without those of links; none on an unmanaged machine.
    private let fixedFolders: [String]
    /// What was seen of policy before.
    private let memory: PolicyMemory
    /// The folders of what policy files lead to that are links, in byte order.
    private let linkFolders = Guarded<[String]>(resettable: [])

    /// Takes over policy that was read, so that it is not read twice.
    init(account: Account, _ policy: PolicyInForce, _ memory: PolicyMemory) {
        self.memory = memory
        machine = policy.machine
        self.account = account
        fixedFolders = policy.isManaged ? PolicyStore.watchedFolders + ManifestSet.directories : []
        first.withLock { $0 = policy }
    }

    /// The folders whose changes may change policy.
    var folders: [String] { fixedFolders + linkFolders.withLock { $0 } }
    /// The generation file of the audit service; none on an unmanaged machine.
    var announcement: String? { fixedFolders.isEmpty ? nil : GenerationFile.path }
    /// Whether the audit service holds it.
    var isAnnounced: Bool { !fixedFolders.isEmpty && GenerationFile.isHeld(root: machine.root) }

    /// Reads policy.
    func read(_ domains: Set<Key>?) throws(SessionError) -> ResultantSet {
        let first = first.withLock { first in
            defer { first = nil }
            return first
        }
        let policy = first ?? machine.policy()
        var resultant: ResultantSet
        if let known = policy.tableResultant(for: account, in: domains) {
            resultant = known
            // No file that a compiled table was made of is a link.
            linkFolders.withLock { $0 = [] }
        } else {
            resultant = policy.sourceResultant(for: account)
            let links = PolicyStore(root: machine.root).linkFolders(of: policy.policies)
            linkFolders.withLock { $0 = links }
        }
        let evidence = policy.evidence
        resultant.knowledge = memory.review(
            policy.knowledge, record: evidence.record, hasFiles: evidence.hasFiles, isManaged: policy.isManaged)
        resultant.nextChange = MachinePolicySource.next(resultant, policy.moment.clockCatchesUp)
        return resultant
    }

    /// When policy is read again: at its next change, or when the clock catches up.
    ///
    /// If no change is ahead but policy names times, at a time far ahead: the alarm notices a clock that is set back,
    /// which may bring a window again that was over, and there is none without a time.
    private static func next(_ resultant: ResultantSet, _ clock: Timestamp?) -> Timestamp? {
        if let next = earlier(resultant.nextChange, clock) { return next }
        return resultant.isTimed ? Timestamp(microseconds: Clock.now().microseconds + horizon) : nil
    }

    /// How far ahead that is, in microseconds: 30 days.
    private static let horizon: Int64 = 30 * 86_400 * 1_000_000

    /// The earlier one of two moments, if there are any.
    private static func earlier(_ left: Timestamp?, _ right: Timestamp?) -> Timestamp? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }
}

extension ResultantSet {
    /// Every domain that this says anything about.
    private var ownDomains: Set<Key> {
        Set(forced.keys).union(recommended.keys).union(setOnce.keys).union(constraints.keys).union(seals.keys)
            .union(unsealed.keys).union(metadata.keys)
    }

    /// Whether applications would notice no difference: the same values of the same origin, and the same words for
    /// users.
    ///
    /// Complexity: O(entries).
    ///
    /// - Parameters:
    ///   - other: what this is compared with.
    ///   - domains: the domains that count; `nil` for all.
    /// - Returns: whether there is none.
    func isSame(as other: ResultantSet, in domains: Set<Key>?) -> Bool {
        (domains ?? ownDomains.union(other.ownDomains)).allSatisfy { isSame(as: other, in: $0) }
    }

    /// Whether applications would notice no difference in one domain.
    private func isSame(as other: ResultantSet, in domain: Key) -> Bool {
        ResultantSet.areSame(forced[domain], other.forced[domain]) { $0.isSame(as: $1) }
            && ResultantSet.areSame(recommended[domain], other.recommended[domain]) { $0.isSame(as: $1) }
            && ResultantSet.areSame(setOnce[domain], other.setOnce[domain]) { $0.isSame(as: $1) }
            && ResultantSet.areSame(constraints[domain], other.constraints[domain]) { $0.isSame(as: $1) }
            && metadata[domain] == other.metadata[domain] && unsealed[domain] == other.unsealed[domain]
            && ResultantSet.areSame(seals[domain], other.seals[domain])
    }

    /// Whether two domains have the same entries.
    private static func areSame<Entry>(
        _ left: [Key: Entry]?, _ right: [Key: Entry]?, _ isSame: (Entry, Entry) -> Bool
    ) -> Bool {
        guard let left, let right else { return (left?.isEmpty ?? true) && (right?.isEmpty ?? true) }
        return left.count == right.count
            && left.allSatisfy { key, entry in right[key].map { isSame(entry, $0) } ?? false }
    }

    /// Whether two seals are the same, or there is none.
    private static func areSame(_ left: ResolvedEntry?, _ right: ResolvedEntry?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.isSame(as: right)
    }
}

extension ResolvedConstraint {
    /// Whether an application would notice no difference.
    fileprivate func isSame(as other: ResolvedConstraint) -> Bool {
        entry == other.entry && contact == other.contact && fileDigest == other.fileDigest
            && metadata == other.metadata
    }
}

extension ResolvedEntry {
    /// Whether an application would notice no difference.
    fileprivate func isSame(as other: ResolvedEntry) -> Bool {
        level == other.level && origin == other.origin && onOverride == other.onOverride && contact == other.contact
            && description == other.description && fileDigest == other.fileDigest && metadata == other.metadata
            && rule == other.rule && value.isIdentical(to: other.value)
    }
}
