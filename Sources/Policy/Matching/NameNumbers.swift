import PropertyList

/// Numbers domains, and the keys in them, in the order in which they first come: what many files say is then compared by
/// numbers, and each name is hashed once.
struct NameNumbers {
    /// A key in a domain.
    struct Name {
        /// The number of the domain.
        let domain: Int
        /// The key.
        let key: Key
    }

    /// The domains by number.
    private(set) var domains: [Key] = []
    /// The keys by number.
    private(set) var names: [Name] = []
    /// Finds the numbers of domains.
    private var domainTable = NumberTable(minimumCapacity: 64)
    /// Finds the numbers of keys.
    private var nameTable: NumberTable
    /// The number of the domain that was asked for last: neighbours mostly share it.
    private var lastDomain = 0

    /// Begins without names.
    ///
    /// - Parameter capacity: how many keys there will be at most, where that is known.
    init(minimumCapacity capacity: Int = 0) {
        nameTable = NumberTable(minimumCapacity: capacity)
        names.reserveCapacity(capacity)
    }

    /// The number of a domain, a new one where it never came before.
    mutating func number(ofDomain domain: Key) -> Int {
        if lastDomain < domains.count, domains[lastDomain] == domain { return lastDomain }
        if domainTable.isFull { domainTable.grow { [domains] in domains[$0].quickHash() } }
        let known = domainTable.number(hash: domain.quickHash(), orAdd: domains.count) { [domains] in
            domains[$0] == domain
        }
        if known == nil { domains.append(domain) }
        lastDomain = known ?? domains.count - 1
        return lastDomain
    }

    /// The number of a key of a domain, a new one where it never came before.
    mutating func number(of key: Key, inDomain domain: Int) -> Int {
        if nameTable.isFull { nameTable.grow { [names] in NameNumbers.hash(names[$0]) } }
        let name = Name(domain: domain, key: key)
        let known = nameTable.number(hash: NameNumbers.hash(name), orAdd: names.count) { [names] in
            names[$0].domain == domain && names[$0].key == key
        }
        if let known { return known }
        names.append(name)
        return names.count - 1
    }

    /// The number of a key of a domain, a new one where it never came before.
    mutating func number(_ domain: Key, _ key: Key) -> Int {
        number(of: key, inDomain: number(ofDomain: domain))
    }

    /// The number of a key; `nil` where it never came.
    func find(_ domain: Key, _ key: Key) -> Int? {
        guard let place = domainTable.number(hash: domain.quickHash(), isEqual: { domains[$0] == domain }) else {
            return nil
        }
        return nameTable.number(hash: NameNumbers.hash(Name(domain: place, key: key))) {
            names[$0].domain == place && names[$0].key == key
        }
    }

    /// The hash of a key in its domain.
    private static func hash(_ name: Name) -> UInt64 { name.key.quickHash(in: UInt64(name.domain) + 1) }
}
