package import MDPolicyCore
package import MDPolicyModel
package import MDPropertyList

/// A difference between two policies for a user.
package struct PolicyDifference: Sendable {
    /// The kind of difference; `policy diff --json` prints the raw value.
    package enum Change: String, Hashable, Sendable {
        /// Only the second policy has a statement.
        case added
        /// Only the first policy has a statement.
        case removed
        /// Both have statements, and they differ.
        case changed
    }

    package let domain: Key
    /// The key; `nil` for the whole domain.
    package let key: Key?
    /// The statement of the first policy.
    package let before: PolicyStatement?
    /// The statement of the second policy.
    package let after: PolicyStatement?

    /// The kind of difference.
    package var change: Change { before == nil ? .added : after == nil ? .removed : .changed }

    /// The identity of a statement: a domain, a key and a kind of statement.
    private struct EntryName: Hashable, Comparable {
        let domain: Key
        /// The key; `nil` for the whole domain.
        let key: Key?
        /// 0 for forced, 1 for constraints, 2 for recommended, 3 for set once: there is at most one of each.
        let slot: Int

        /// Orders by domain, whole domains first, then by key and slot.
        static func < (left: EntryName, right: EntryName) -> Bool {
            if left.domain != right.domain { return left.domain < right.domain }
            switch (left.key, right.key) {
            case (nil, _?): return true
            case (_?, nil): return false
            case (let one?, let other?) where one != other: return one < other
            default: return left.slot < right.slot
            }
        }
    }

    /// The differences between two policies, in byte order of domains and keys.
    ///
    /// A key that is sensitive on one side is sensitive on both, because metadata and values may be in different files.
    ///
    /// Complexity: O(n log n) of the number of entries.
    ///
    /// - Parameters:
    ///   - before: the first policy.
    ///   - after: the second policy.
    ///   - other: another policy that marks keys as sensitive: that of the machine on which the two are compared.
    /// - Returns: the differences.
    package static func between(
        _ before: ResultantSet, _ after: ResultantSet, besides other: ResultantSet? = nil
    ) -> [PolicyDifference] {
        let (old, new) = (statements(before), statements(after))
        let facts = [before, after, other].compactMap { $0?.metadata }
        return Set(old.keys).union(new.keys).sorted().compactMap { name in
            let (one, other) = (old[name], new[name])
            if let one, let other, one.isSame(as: other) { return nil }
            let isSensitive = facts.contains { facts in
                name.key.map { facts[name.domain]?[$0]?.isSensitive ?? false } ?? false
            }
            return PolicyDifference(
                domain: name.domain, key: name.key, before: isSensitive ? one?.hidden : one,
                after: isSensitive ? other?.hidden : other)
        }
    }

    /// All statements of a policy.
    private static func statements(_ resultant: ResultantSet) -> [EntryName: PolicyStatement] {
        var statements: [EntryName: PolicyStatement] = [:]
        for (domain, keys) in resultant.unsealed where resultant.seals[domain] != nil {
            for key in keys { statements[EntryName(domain: domain, key: key, slot: 0)] = PolicyStatement(waived: ()) }
        }
        for (domain, entries) in resultant.forced {
            for (key, entry) in entries {
                statements[EntryName(domain: domain, key: key, slot: 0)] =
                    PolicyStatement(entry, as: entry.level == .absent ? .absent : .forced)
            }
        }
        for (domain, entry) in resultant.seals {
            statements[EntryName(domain: domain, key: nil, slot: 0)] = PolicyStatement(entry, as: .sealed)
        }
        for (domain, entries) in resultant.constraints {
            for (key, entry) in entries {
                statements[EntryName(domain: domain, key: key, slot: 1)] = PolicyStatement(entry)
            }
        }
        for (slot, kind, level) in [
            (2, PolicyStatement.Kind.recommended, resultant.recommended), (3, .setOnce, resultant.setOnce),
        ] {
            for (domain, entries) in level {
                for (key, entry) in entries {
                    statements[EntryName(domain: domain, key: key, slot: slot)] = PolicyStatement(entry, as: kind)
                }
            }
        }
        return statements
    }
}

/// A statement of policy about one key, or a whole domain, for one user: one side of a difference.
package struct PolicyStatement: Sendable {
    /// The kind of statement; the raw value is the word of `policy diff`.
    package enum Kind: String, Hashable, Sendable {
        /// A forced value.
        case forced
        /// Forced to have no value.
        case absent
        /// Every unlisted key of the domain is forced to have no value.
        case sealed
        /// A key of a sealed domain that a waiver frees.
        case waived
        /// A value that the user may change.
        case recommended
        /// A value that is written once.
        case setOnce
        /// A constraint on the user's value.
        case constraint
    }

    package let kind: Kind
    /// The value; `nil` if there is none.
    package let value: Value?
    /// The constraint; `nil` for other statements.
    package let constraint: Constraint?
    /// The origins: several for a combined value, none for a waived key.
    package let origins: [Origin]
    package private(set) var isSensitive: Bool
    /// The handling of a write to a forced, absent or sealed key; `nil` for other statements.
    package let onOverride: OverrideMode?
    /// The occasion of a set-once entry; `nil` for other statements.
    package let occasion: SetOnceOccasion?

    /// Makes the statement of an entry.
    init(_ entry: ResolvedEntry, as kind: Kind) {
        self.kind = kind
        value = entry.level == .absent ? nil : entry.value
        constraint = nil
        origins = entry.contributors.isEmpty ? [entry.origin] : entry.contributors
        isSensitive = entry.metadata.isSensitive
        onOverride = [.forced, .absent, .sealed].contains(kind) ? entry.onOverride : nil
        occasion = kind == .setOnce ? SetOnceOccasion(entry) : nil
    }

    /// Makes the statement of a constraint.
    init(_ resolved: ResolvedConstraint) {
        kind = .constraint
        value = nil
        constraint = resolved.entry.constraint
        origins = [resolved.entry.origin]
        isSensitive = resolved.metadata.isSensitive
        (onOverride, occasion) = (nil, nil)
    }

    /// Makes the statement that a key of a sealed domain is waived.
    init(waived: Void) {
        kind = .waived
        (value, constraint, origins, isSensitive, onOverride, occasion) = (nil, nil, [], false, nil, nil)
    }

    /// The statement with its value marked as sensitive.
    var hidden: PolicyStatement {
        var copy = self
        copy.isSensitive = true
        return copy
    }

    /// Whether two statements are equal, regardless of their origins.
    func isSame(as other: PolicyStatement) -> Bool {
        guard kind == other.kind, onOverride == other.onOverride, occasion == other.occasion,
            constraint == other.constraint
        else { return false }
        switch (value, other.value) {
        case (nil, nil): return true
        case (let one?, let other?): return CanonicalPolicy.encode(one) == CanonicalPolicy.encode(other)
        default: return false
        }
    }
}

/// The occasion of a set-once entry.
///
/// If it changes, the value is written again and replaces the user's choice.
package struct SetOnceOccasion: Hashable, Sendable {
    /// The identifier of the policy.
    private let policy: Key
    /// The occasion within the policy; `nil` for an entry that is written in each session.
    private let occasion: String?

    init(_ entry: ResolvedEntry) {
        policy = Key(entry.origin.policy)
        occasion = entry.rule.occasion(version: entry.policyVersion)
    }

    /// The occasion in words, not escaped.
    package var words: String { "\(occasion ?? "each session") of \(policy.string)" }
}
