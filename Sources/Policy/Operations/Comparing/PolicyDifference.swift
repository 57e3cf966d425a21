package import PropertyList

/// What is another for a user under one policy than under another.
package struct PolicyDifference: Sendable {
    /// What happened; the raw value is what `policy diff --json` prints.
    package enum Change: String, Hashable, Sendable {
        /// Only the second policy says something.
        case added
        /// Only the first policy says something.
        case removed
        /// Both say something, and not the same.
        case changed
    }

    /// The domain.
    package let domain: Key
    /// The key; `nil` where it is about the whole domain.
    package let key: Key?
    /// What the first policy says.
    package let before: PolicyStatement?
    /// What the second policy says.
    package let after: PolicyStatement?

    /// What happened.
    package var change: Change { before == nil ? .added : after == nil ? .removed : .changed }

    /// A domain, a key, and which of the statements about them is meant.
    private struct Name: Hashable, Comparable {
        /// The domain.
        let domain: Key
        /// The key; `nil` for the whole domain.
        let key: Key?
        /// 0 what is forced, 1 constraints, 2 recommended, 3 set once: of each there is at most one.
        let slot: Int

        /// Orders by domain, whole domains first, then by key and slot.
        static func < (left: Name, right: Name) -> Bool {
            if left.domain != right.domain { return left.domain < right.domain }
            switch (left.key, right.key) {
            case (nil, _?): return true
            case (_?, nil): return false
            case (let one?, let other?) where one != other: return one < other
            default: return left.slot < right.slot
            }
        }
    }

    /// Everything that differs, in byte order of domains and keys.
    ///
    /// A key that one side calls sensitive is sensitive in both: metadata and values may stand in different files.
    ///
    /// Complexity: O(n log n) of the number of entries.
    ///
    /// - Parameters:
    ///   - before: what the first policy says.
    ///   - after: what the second policy says.
    ///   - other: what else calls keys sensitive: the policy of the machine where the two are compared.
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

    /// Everything that policy says.
    private static func statements(_ resultant: ResultantSet) -> [Name: PolicyStatement] {
        var statements: [Name: PolicyStatement] = [:]
        for (domain, keys) in resultant.unsealed where resultant.seals[domain] != nil {
            for key in keys { statements[Name(domain: domain, key: key, slot: 0)] = PolicyStatement(waived: ()) }
        }
        for (domain, entries) in resultant.forced {
            for (key, entry) in entries {
                statements[Name(domain: domain, key: key, slot: 0)] =
                    PolicyStatement(entry, as: entry.level == .absent ? .absent : .forced)
            }
        }
        for (domain, entry) in resultant.seals {
            statements[Name(domain: domain, key: nil, slot: 0)] = PolicyStatement(entry, as: .sealed)
        }
        for (domain, entries) in resultant.constraints {
            for (key, entry) in entries {
                statements[Name(domain: domain, key: key, slot: 1)] = PolicyStatement(entry)
            }
        }
        for (slot, kind, level) in [
            (2, PolicyStatement.Kind.recommended, resultant.recommended), (3, .setOnce, resultant.setOnce),
        ] {
            for (domain, entries) in level {
                for (key, entry) in entries {
                    statements[Name(domain: domain, key: key, slot: slot)] = PolicyStatement(entry, as: kind)
                }
            }
        }
        return statements
    }
}
