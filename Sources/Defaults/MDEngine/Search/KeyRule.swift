import MDPlatform
package import MDPolicyCore
package import MDPolicyModel
import MDPolicyStore
package import MDPropertyList

/// What policy says of a key that an application looks up.
///
/// Lookups, writes, `explain`, `forced` and audit records all decide by this one answer. It is indirect because most keys
/// are free, and an entry has hundreds of bytes that each lookup would copy.
package indirect enum KeyRule: Sendable {
    /// Nothing: the user may store any value.
    case free
    /// The user's value must satisfy a constraint.
    case constrained(ResolvedConstraint)
    /// The key has the value of the entry.
    case forced(ResolvedEntry)
    /// The entry says that the key has no value, or its value needs a variable that is unknown.
    case absent(ResolvedEntry)
    /// The key has no value, because its domain is sealed and lists no value for it.
    case sealed(ResolvedEntry)
    /// A policy file for some users lists the key, and the identity of this user is unknown.
    case unknownUser(ResolvedEntry)
    /// Policy could not be read.
    case unknownPolicy(ResolvedEntry)

    /// Decides by what applies to the key.
    ///
    /// - Parameters:
    ///   - entry: the forced or absent entry that decides lookups of the key; `nil` if there is none.
    ///   - constraint: the constraint of such lookups; it does not count if an entry decides.
    init(_ entry: ResolvedEntry?, _ constraint: ResolvedConstraint? = nil) {
        guard let entry else {
            self = constraint.map { .constrained($0) } ?? .free
            return
        }
        switch entry.shortfall {
        case .policy: self = .unknownPolicy(entry)
        case .user: self = .unknownUser(entry)
        case .variable, nil:
            self = entry.value != nil ? .forced(entry) : entry.isFromSeal ? .sealed(entry) : .absent(entry)
        }
    }

    /// The forced or absent entry that decides lookups; `nil` if the user's value counts.
    package var entry: ResolvedEntry? {
        switch self {
        case .free, .constrained: nil
        case .forced(let entry), .absent(let entry), .sealed(let entry), .unknownUser(let entry),
            .unknownPolicy(let entry):
            entry
        }
    }

    /// The constraint that the user's value must satisfy; `nil` if anything is allowed, or if an entry decides.
    package var constraint: ResolvedConstraint? {
        if case .constrained(let constraint) = self { constraint } else { nil }
    }

    /// Whether policy decides lookups of the key.
    package var isForced: Bool { entry != nil }
}

extension ResolvedEntry {
    /// The entry that decides a lookup, given what each forced domain says: the first one with a value, else the first
    /// one.
    ///
    /// A domain whose policy is unknown ends the search, because it may have a value.
    ///
    /// - Parameters:
    ///   - count: how many forced domains are searched.
    ///   - entry: the forced or absent entry of each, in the order of the search.
    /// - Returns: the entry and the index of its domain; `nil` if no domain has one.
    /// - Throws: what `entry` throws.
    static func deciding<Failure: Error>(
        among count: Int, _ entry: (Int) throws(Failure) -> ResolvedEntry?
    ) throws(Failure) -> (entry: ResolvedEntry, index: Int)? {
        var absent: (entry: ResolvedEntry, index: Int)?
        for index in 0..<count {
            guard let entry = try entry(index) else { continue }
            if entry.value != nil || entry.shortfall == .policy { return (entry, index) }
            absent = absent ?? (entry, index)
        }
        return absent
    }
}

extension ResolvedConstraint {
    /// The result of a lookup for a value that the user controls: the value, the nearest allowed one, or `nil` if the
    /// value is passed over.
    package func clamp(_ value: Value) -> Value? {
        switch entry.constraint.verdict(on: value) {
        case .allowed: value
        case .clamped(let bound): bound
        case .refused: nil
        }
    }
}

extension ResultantSet {
    /// What policy says of a key that is looked up in some domains.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - domains: the domains in search order: the application's, its suites, NSGlobalDomain.
    /// - Returns: the rule of the key.
    package func rule(of key: Key, in domains: [Key]) -> KeyRule {
        KeyRule(decidingEntry(for: key, in: domains), constraint(of: key, in: domains))
    }

    /// The forced or absent entry that decides lookups of a key in some domains; `nil` if no policy does.
    ///
    /// A value is tried in every domain before an absent entry counts, up to the first domain whose policy is unknown.
    package func decidingEntry(for key: Key, in domains: [Key]) -> ResolvedEntry? {
        ResolvedEntry.deciding(among: domains.count) { forcedEntry(domain: domains[$0], key: key) }?.entry
    }

    /// The constraints of lookups in some domains, by key; of several for one key the first domain's.
    ///
    /// Complexity: O(constraints of the domains).
    package func constraints(in domains: [Key]) -> [Key: ResolvedConstraint] {
        if constraints.isEmpty { return [:] }
        var result: [Key: ResolvedConstraint] = [:]
        for domain in domains {
            if let own = constraints[domain] { result.merge(own) { first, _ in first } }
        }
        return result
    }

    /// The constraint of lookups of a key in some domains, the first domain's; `nil` if there is none.
    package func constraint(of key: Key, in domains: [Key]) -> ResolvedConstraint? {
        if constraints.isEmpty { return nil }
        for domain in domains {
            if let constraint = constraints[domain]?[key] { return constraint }
        }
        return nil
    }

    /// The forced and absent entries, those of seals included, by domain and key in byte order.
    package var forcedEntries: [ResolvedEntry] {
        entries.filter { $0.level == .forced || $0.level == .absent }
    }

    /// The constraints, by domain and key in byte order.
    package var sortedConstraints: [ResolvedConstraint] {
        constraints.values.flatMap(\.values).sorted { left, right in
            let (one, other) = (left.entry, right.entry)
            return one.domain == other.domain ? one.key < other.key : one.domain < other.domain
        }
    }
}

/// A sealed domain as lookups see it: every key that policy does not list, and no waiver frees, is forced to have no
/// value.
package final class DomainSeal: Sendable {
    /// The domain.
    private let domain: Key
    /// The policy that seals it.
    private let resultant: ResultantSet
    /// The keys that waivers free.
    let free: Set<Key>

    /// Reads the seal of a domain; `nil` if the domain is not sealed.
    package init?(of domain: Key, in resultant: ResultantSet) {
        guard resultant.seals[domain] != nil else { return nil }
        self.domain = domain
        self.resultant = resultant
        free = resultant.unsealed[domain] ?? []
    }

    /// The entry of a key: its own, or the one that the seal makes; `nil` for a key that is free.
    func entry(of key: Key) -> ResolvedEntry? { resultant.forcedEntry(domain: domain, key: key) }

    /// Whether it belongs to a domain whose policy is unknown, so that the key may have a value.
    var isOfUnknownPolicy: Bool { resultant.seals[domain]?.shortfall == .policy }

    /// Whether the seal, or an entry of the domain, decides a key.
    func covers(_ key: Key) -> Bool { !free.contains(key) }
}

extension ResultantSet {
    /// Title, description and sensitivity of a key that is looked up in some domains: of the first domain that has
    /// some; what is sensitive in one of them is so.
    package func metadata(of key: Key, in domains: [Key]) -> KeyMetadata {
        if metadata.isEmpty { return KeyMetadata() }
        let found = domains.compactMap { metadata[$0]?[key] }
        guard var result = found.first(where: { !$0.title.isEmpty || !$0.description.isEmpty }) ?? found.first else {
            return KeyMetadata()
        }
        result.isSensitive = found.contains(where: \.isSensitive)
        return result
    }

    /// Whether values of a key that is looked up in some domains are never shown.
    package func isSensitive(_ key: Key, in domains: [Key]) -> Bool {
        metadata.isEmpty ? false : domains.contains { metadata[$0]?[key]?.isSensitive ?? false }
    }
}
