import Platform
package import PropertyList

/// What keeps a key from being as temporary policy says.
package struct TemporaryRival: Hashable, Sendable {
    /// How it does so.
    package enum Kind: String, Hashable, Sendable {
        /// A waiver frees the key.
        case lifts
        /// Another file's entry comes first.
        case beats
    }

    /// How it does so.
    package let kind: Kind
    /// The domain.
    package let domain: Key
    /// The key.
    package let key: Key
    /// The path of the other file beneath the root.
    package let file: String
    /// The waiver; `nil` where an entry comes first.
    package let waiver: Waiver?
    /// Whether the other file was made by `policy grant`.
    package let isGrant: Bool
}

/// What a file of temporary policy says, ready to be compared with other files.
struct TemporaryClaims {
    /// Values, `nil` for none, by name.
    private var values: [LintName: PolicyEntry] = [:]
    /// Constraints by name.
    private var constraints: [LintName: Constraint] = [:]
    /// The sealed domains.
    private var seals: Set<Key> = []
    /// The keys that are joined with those of other files.
    private var joined: Set<LintName> = []

    /// Gathers what a file says.
    init(_ policy: PolicyFile) {
        for entry in policy.entries where entry.level == .forced || entry.level == .absent {
            values[LintName(domain: entry.domain, key: entry.key)] = entry
        }
        for entry in policy.constraints {
            constraints[LintName(domain: entry.domain, key: entry.key)] = entry.constraint
        }
        for entry in policy.combine where entry.combine != .replace {
            joined.insert(LintName(domain: entry.domain, key: entry.key))
        }
        seals = Set(policy.seals.map(\.domain))
    }

    /// The rivals among the waivers of another file.
    func lifted(by other: LintFile, _ file: LintFile, at time: Timestamp) -> [TemporaryRival] {
        guard other.policy.enforced || !file.policy.enforced else { return [] }
        return other.policy.waivers.compactMap { waiver in
            let name = LintName(domain: waiver.domain, key: waiver.key)
            guard values[name] != nil || constraints[name] != nil || seals.contains(waiver.domain),
                waiver.until.map({ $0 > time }) ?? true,
                file.target.mayOverlap(LintTarget(Target(include: waiver.clauses), calendars: [:]))
            else { return nil }
            return TemporaryRival(
                kind: .lifts, domain: waiver.domain, key: waiver.key, file: other.policy.path, waiver: waiver,
                isGrant: other.policy.isGrant)
        }
    }

    /// The rivals among the entries of another file, which counts first where it is `Enforced` and its name comes first.
    func beaten(by other: LintFile, comesFirst: Bool) -> [TemporaryRival] {
        let isFirst = other.policy.enforced && comesFirst
        /// The rival that holds a key.
        func rival(_ domain: Key, _ key: Key) -> TemporaryRival {
            TemporaryRival(
                kind: .beats, domain: domain, key: key, file: other.policy.path, waiver: nil,
                isGrant: other.policy.isGrant)
        }
        var rivals: [TemporaryRival] = []
        for entry in other.policy.entries where entry.level == .forced || entry.level == .absent {
            let name = LintName(domain: entry.domain, key: entry.key)
            if let own = values[name] {
                let isSame = own.level == entry.level && own.value?.value == entry.value?.value
                if isFirst, !isSame, !joined.contains(name) { rivals.append(rival(entry.domain, entry.key)) }
            } else if let rule = constraints[name], let value = entry.value?.value, !entry.hasVariables,
                rule.verdict(on: value) != .allowed
            {
                rivals.append(rival(entry.domain, entry.key))
            }
        }
        for entry in other.policy.constraints where isFirst {
            let own = constraints[LintName(domain: entry.domain, key: entry.key)]
            if let own, own != entry.constraint { rivals.append(rival(entry.domain, entry.key)) }
        }
        return rivals
    }
}
