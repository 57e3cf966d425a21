import PropertyList

/// Everything that the policy files of a machine say of one key, as a compiled table holds it.
struct TableGroup {
    /// One thing that a file says.
    struct Item {
        /// The place of the file in order of application.
        let file: Int
        /// What it says.
        let content: Content
    }

    /// What a file says of a key.
    enum Content {
        /// An entry.
        case entry(PolicyEntry)
        /// A constraint.
        case constraint(ConstraintEntry)
        /// An operator.
        case combine(CombineEntry)
        /// A waiver, with its place among those of its file.
        case waiver(Waiver, ordinal: Int)
        /// A seal.
        case seal(Seal)
    }

    /// The domain.
    let domain: Key
    /// The key; empty for the seals of the domain.
    let key: Key
    /// What the files say, in order of application.
    var items: [Item] = []
    /// What people are told.
    var metadata = KeyMetadata()

    /// Gathers the groups of policy files, in the order of domain and key.
    ///
    /// The result is `nil` where an origin is not of its file.
    static func all(of policies: [PolicyFile]) -> [TableGroup]? {
        var groups: [Key: [Key: TableGroup]] = [:]
        for (index, policy) in policies.enumerated() {
            /// Adds an item; whether the table can give its origin back.
            func add(_ domain: Key, _ key: Key, _ origin: Origin, _ content: Content) -> Bool {
                groups[domain, default: [:]][key, default: TableGroup(domain: domain, key: key)].items.append(
                    Item(file: index, content: content))
                return origin.policy == policy.identifier && origin.file == policy.path
            }
            var areOwn = true
            for entry in policy.entries {
                areOwn = add(entry.domain, entry.key, entry.origin, .entry(entry)) && areOwn
            }
            for entry in policy.constraints {
                areOwn = add(entry.domain, entry.key, entry.origin, .constraint(entry)) && areOwn
            }
            for entry in policy.combine {
                areOwn = add(entry.domain, entry.key, entry.origin, .combine(entry)) && areOwn
            }
            for (ordinal, waiver) in policy.waivers.enumerated() {
                areOwn = add(waiver.domain, waiver.key, waiver.origin, .waiver(waiver, ordinal: ordinal)) && areOwn
            }
            for seal in policy.seals {
                areOwn = add(seal.domain, Key(""), seal.origin, .seal(seal)) && areOwn
            }
            if !areOwn { return nil }
        }
        for (domain, facts) in FilesInForce.metadata(of: policies) {
            for (key, fact) in facts {
                groups[domain, default: [:]][key, default: TableGroup(domain: domain, key: key)].metadata = fact
            }
        }
        return groups.keys.sorted().flatMap { domain in
            (groups[domain] ?? [:]).values.sorted { $0.key < $1.key }
        }
    }
}
