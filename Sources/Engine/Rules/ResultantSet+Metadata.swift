package import Policy
package import PropertyList

extension ResultantSet {
    /// What people are told about a key that is looked up in some domains: of the first domain that says something; what
    /// is sensitive in one of them is so.
    package func metadata(of key: Key, in domains: [Key]) -> KeyMetadata {
        if metadata.isEmpty { return KeyMetadata() }
        let found = domains.compactMap { metadata[$0]?[key] }
        guard var result = found.first(where: { !$0.title.isEmpty || !$0.description.isEmpty }) ?? found.first else {
            return KeyMetadata()
        }
        result.isSensitive = found.contains(where: \.isSensitive)
        return result
    }

    /// Whether values of a key that is looked up in some domains are shown to nobody.
    package func isSensitive(_ key: Key, in domains: [Key]) -> Bool {
        metadata.isEmpty ? false : domains.contains { metadata[$0]?[key]?.isSensitive ?? false }
    }

    /// Every entry that a listing of the resultant set has: forced, absent, sealed, recommended and set once; by domain
    /// and key in byte order, the strongest of one key first.
    ///
    /// The entry of a seal has the empty key, which no other entry has.
    package var listing: [ResolvedEntry] {
        let once = setOnce.values.flatMap(\.values)
        if once.isEmpty, seals.isEmpty { return entries }
        return (entries + seals.values + once).enumerated().sorted { left, right in
            let (one, other) = (left.element, right.element)
            if one.domain != other.domain { return one.domain < other.domain }
            if one.key != other.key { return one.key < other.key }
            let ranks = (one.level.rank, other.level.rank)
            return ranks.0 != ranks.1 ? ranks.0 < ranks.1 : left.offset < right.offset
        }.map(\.element)
    }
}

extension ResolvedEntry {
    /// Whether the entry is that of a seal in a listing, where it stands for every key that policy does not list.
    package var isSeal: Bool { level == .absent && key == "" }
}

extension Level {
    /// The place among the levels of one key, in the order of the search list.
    fileprivate var rank: Int {
        switch self {
        case .forced, .absent: 0
        case .setOnce: 1
        case .recommended: 2
        }
    }
}
