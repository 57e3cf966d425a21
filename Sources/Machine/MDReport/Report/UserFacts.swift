import MDCare
import MDEngine
import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPropertyList

/// What is required of a user, held against what the user has stored.
struct UserFacts {
    let resultant: ResultantSet
    let home: HomeInspection
    /// Whether the user's preference files could be read.
    let isHomeRead: Bool
    /// Whether all of policy was read.
    let isKnown: Bool
    /// What manifests say of the keys.
    let manifests: ManifestSet
    /// What changed, by the log.
    let history: PolicyHistory

    /// The forced keys, each with the values that it hides.
    ///
    /// - Parameters:
    ///   - forced: the forced entries.
    ///   - coverage: what enforces an entry.
    /// - Returns: the keys in byte order, those included that a seal hides.
    func keys(_ forced: [ResolvedEntry], coverage: (ResolvedEntry) -> KeyCoverage) -> [KeyCompliance] {
        var stored: [Key: [Key: [HiddenValue]]] = [:]
        for item in home.stored { stored[item.forcedDomain, default: [:]][item.key, default: []].append(item.value) }
        var entries = forced
        // The entry of a seal names no key; the keys that it hides are added.
        for (domain, keys) in stored {
            for key in keys.keys where resultant.forced[domain]?[key] == nil {
                if let entry = resultant.forcedEntry(domain: domain, key: key) { entries.append(entry) }
            }
        }
        return entries.sorted { $0.domain == $1.domain ? $0.key < $1.key : $0.domain < $1.domain }.map { entry in
            let own = stored[entry.domain]?[entry.key] ?? []
            return KeyCompliance(
                entry: entry, stored: own,
                isSensitive: resultant.isSensitive(
                    entry.key, in: [entry.domain, DomainName.global] + own.map(\.domain)),
                isKnown: isKnown, coverage: coverage(entry),
                isUndescribed: !entry.key.string.isEmpty && manifests.describes(entry.domain)
                    && manifests.key(domain: entry.domain, key: entry.key) == nil,
                since: history.beginning(of: entry.origin.file, entry.fileDigest))
        }
    }

    /// The constraints on keys that are not forced, each with the stored values that it does not allow.
    ///
    /// - Parameter coverage: what enforces a constraint, by the domains of the values that it does not allow.
    /// - Returns: the constraints in byte order.
    func constraints(coverage: (ResolvedConstraint, Set<Key>) -> KeyCoverage) -> [ConstraintCompliance] {
        let all = resultant.constraints.values.flatMap(\.values).filter { constraint in
            let entry = constraint.entry
            return [entry.domain, DomainName.global].allSatisfy {
                resultant.forcedEntry(domain: $0, key: entry.key) == nil
            }
        }
        let sorted = all.sorted { left, right in
            left.entry.domain == right.entry.domain
                ? left.entry.key < right.entry.key : left.entry.domain < right.entry.domain
        }
        return sorted.map { constraint in
            let outside = outside(constraint)
            return ConstraintCompliance(
                constraint: constraint, outside: outside, isKnown: isKnown, isHomeRead: isHomeRead,
                coverage: coverage(constraint, Set(outside.map(\.domain))),
                since: history.beginning(of: constraint.entry.origin.file, constraint.fileDigest))
        }
    }

    /// The stored values that a constraint does not allow, each with the effective value.
    private func outside(_ constraint: ResolvedConstraint) -> [OutsideValue] {
        home.outside.filter { item in
            guard let own = resultant.constraint(of: item.key, in: [item.domain, DomainName.global]) else {
                return false
            }
            return own.entry.domain == constraint.entry.domain && own.entry.key == constraint.entry.key
        }
        .map { item in
            var effective: Value?
            if case .clamped(let bound) = constraint.entry.constraint.verdict(on: item.value) { effective = bound }
            return OutsideValue(
                constraint: constraint, domain: item.domain, value: item.value, effective: effective, file: item.file,
                isThisHost: item.isThisHost,
                isSensitive: constraint.metadata.isSensitive
                    || resultant.isSensitive(item.key, in: [item.domain, DomainName.global]))
        }
    }
}
