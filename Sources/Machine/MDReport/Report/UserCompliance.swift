package import MDAuditRecord
package import MDCare
package import MDPlatform
package import MDPolicyCore
package import MDPolicyModel
package import MDPropertyList

/// One user in a report: the forced keys, the values that they hide, and the override attempts.
package struct UserCompliance: Sendable {
    /// The account of the user.
    package let account: Account
    /// The forced keys, by domain and key in byte order; only the known ones if not all of policy could be read.
    package let keys: [KeyCompliance]
    /// The number of the keys, shared by all users that have the very same keys, constraints and waivers, and have stored
    /// nothing that they are about; `nil` if they were looked at for this user alone.
    package let share: Int?
    /// Whether all of policy could be read for the user's programs; if not, ``ComplianceReport/limits`` says why.
    package let knowledge: PolicyKnowledge
    /// The constraints on keys that are not forced, by domain and key.
    package let constraints: [ConstraintCompliance]
    /// The descriptions of keys.
    package let metadata: [Key: [Key: KeyMetadata]]
    /// The stored values that constraints do not allow, by domain and key.
    package var outside: [OutsideValue] { constraints.flatMap(\.outside) }
    /// The waivers for the user, in order of application, including expired ones.
    package let waivers: [ResolvedWaiver]
    /// Whether the user's preference files could be read; if not, ``ComplianceReport/limits`` says why.
    package let isHomeRead: Bool
    /// The override attempts on record, oldest first.
    package let attempts: [AuditRecord]
    /// The number of attempts that did not fit into the spool, as the user's own file counts them.
    package let dropped: Int

    /// Makes the part of a report about a user.
    package init(
        account: Account, keys: [KeyCompliance], share: Int? = nil, constraints: [ConstraintCompliance] = [],
        waivers: [ResolvedWaiver] = [], metadata: [Key: [Key: KeyMetadata]] = [:],
        knowledge: PolicyKnowledge = .known, isHomeRead: Bool, attempts: [AuditRecord], dropped: Int = 0
    ) {
        self.account = account
        self.keys = keys
        self.share = share
        self.knowledge = knowledge
        self.constraints = constraints
        self.waivers = waivers
        self.metadata = metadata
        self.isHomeRead = isHomeRead
        self.attempts = attempts
        self.dropped = dropped
    }
}

/// One forced key of one user.
package struct KeyCompliance: Sendable {
    /// The entry of the resultant set, with its origin and the entries that lost.
    package let entry: ResolvedEntry
    /// The values of the user that the forced value hides.
    package let stored: [HiddenValue]
    /// Whether reports must not show values of the key.
    package let isSensitive: Bool
    /// Whether the value is known and all of policy was read; otherwise an unknown entry may come before it.
    package let isKnown: Bool

    /// What enforces it.
    package let coverage: KeyCoverage
    /// Whether manifests describe the domain, and none knows the key.
    package let isUndescribed: Bool
    /// Since when the winning file has been in force as it is, by the audit log; `nil` if the log does not say.
    package let since: Timestamp?

    package init(
        entry: ResolvedEntry, stored: [HiddenValue], isSensitive: Bool = false, isKnown: Bool = true,
        coverage: KeyCoverage = .unknown, isUndescribed: Bool = false, since: Timestamp? = nil
    ) {
        self.coverage = coverage
        self.isUndescribed = isUndescribed
        self.since = since
        self.isKnown = isKnown && entry.shortfall == nil
        self.entry = entry
        self.stored = stored
        self.isSensitive = isSensitive || entry.metadata.isSensitive
    }

    /// Whether the key is forced as the file says now, and not as an earlier version of it did; false if unknown.
    package var isInForce: Bool { isKnown && !entry.isRecordedCopy }

    /// Where the value comes from that the user's programs have.
    ///
    /// Where nothing enforces the key, what the user has stored decides.
    package var source: ValueSource {
        guard case .none = coverage else { return .forced }
        return stored.isEmpty ? .absent : isHiding ? .user : .match
    }

    /// What is known of the key as a requirement.
    package var state: RequirementState { reason.state }

    /// Whether the forced value hides another one of the user.
    package var isHiding: Bool { stored.contains { !$0.isEqual } }

    /// Whether the user has stored only the forced value.
    package var isEqualByChance: Bool { !stored.isEmpty && !isHiding }
}

/// Where a value comes from; the raw value is printed in reports.
package enum ValueSource: String, Sendable {
    /// Policy forces it.
    case forced
    /// The user has stored the value that policy asks for.
    case match = "happens to match"
    /// The user has stored another one.
    case user
    /// There is none.
    case absent
}

/// A value that a user has stored and that violates a constraint.
package struct OutsideValue: Sendable {
    package let constraint: ResolvedConstraint
    /// The domain that the value is stored in, which is not that of the constraint if NSGlobalDomain is constrained.
    package let domain: Key
    /// The stored value.
    package let value: Value
    /// The effective value in its place; `nil` if the stored one is ignored.
    package let effective: Value?
    /// The file of the value, under the root.
    package let file: String
    /// Whether it applies to this host only.
    package let isThisHost: Bool
    /// Whether reports must not show values of the key.
    package let isSensitive: Bool
}
