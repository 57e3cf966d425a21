package import MDPropertyList

/// Numbers domains and keys in the order of their first occurrence.
///
/// The content of many files is then compared by numbers, and each name is hashed once.
package struct NameIndex {
    /// A key in a domain.
    package struct Name {
        /// The number of the domain.
        package let domain: Int
        /// The key.
        package let key: Key
    }

    /// The domains by number.
    package private(set) var domains: [Key] = []
    /// The keys by number.
    package private(set) var names: [Name] = []
    /// The numbers by domain.
    private var domainIndex = HashIndex(minimumCapacity: 64)
    /// The numbers by key.
    private var keyIndex: HashIndex
    /// The domain of the last call, since neighbours mostly share it.
    private var lastDomain = 0

    /// Makes an empty index.
    ///
    /// - Parameter capacity: the most keys, if known.
    package init(minimumCapacity capacity: Int = 0) {
        keyIndex = HashIndex(minimumCapacity: capacity)
        names.reserveCapacity(capacity)
    }

    /// The number of a domain, a new one at its first occurrence.
    package mutating func number(ofDomain domain: Key) -> Int {
        if lastDomain < domains.count, domains[lastDomain] == domain { return lastDomain }
        if domainIndex.isFull { domainIndex.grow { [domains] in domains[$0].quickHash() } }
        let known = domainIndex.number(hash: domain.quickHash(), orAdd: domains.count) { [domains] in
            domains[$0] == domain
        }
        if known == nil { domains.append(domain) }
        lastDomain = known ?? domains.count - 1
        return lastDomain
    }

    /// The number of a key of a domain, a new one at its first occurrence.
    package mutating func number(of key: Key, inDomain domain: Int) -> Int {
        if keyIndex.isFull { keyIndex.grow { [names] in NameIndex.hash(names[$0]) } }
        let name = Name(domain: domain, key: key)
        let known = keyIndex.number(hash: NameIndex.hash(name), orAdd: names.count) { [names] in
            names[$0].domain == domain && names[$0].key == key
        }
        if let known { return known }
        names.append(name)
        return names.count - 1
    }

    /// The number of a key of a domain, a new one at its first occurrence.
    package mutating func number(_ domain: Key, _ key: Key) -> Int {
        number(of: key, inDomain: number(ofDomain: domain))
    }

    /// The number of a key; `nil` if it did not occur.
    package func find(_ domain: Key, _ key: Key) -> Int? {
        guard let number = domainIndex.number(hash: domain.quickHash(), isEqual: { domains[$0] == domain }) else {
            return nil
        }
        return keyIndex.number(hash: NameIndex.hash(Name(domain: number, key: key))) {
            names[$0].domain == number && names[$0].key == key
        }
    }

    /// The hash of a key in its domain.
    private static func hash(_ name: Name) -> UInt64 { name.key.quickHash(in: UInt64(name.domain) + 1) }
}
