package import Policy
package import PropertyList

/// A sealed domain as lookups see it: every key that policy does not list, and no waiver frees, is kept without a value.
package final class DomainSeal: Sendable {
    /// The domain.
    private let domain: Key
    /// The policy that seals it.
    private let resultant: ResultantSet
    /// The keys that waivers free.
    let free: Set<Key>

    /// Takes the seal of a domain; `nil` where it has none.
    package init?(of domain: Key, in resultant: ResultantSet) {
        guard resultant.seals[domain] != nil else { return nil }
        self.domain = domain
        self.resultant = resultant
        free = resultant.unsealed[domain] ?? []
    }

    /// The entry of a key: its own, or the one that the seal makes; `nil` for a key that is free.
    func entry(of key: Key) -> ResolvedEntry? { resultant.forcedEntry(domain: domain, key: key) }

    /// Whether the seal, or an entry of the domain, decides a key.
    func covers(_ key: Key) -> Bool { !free.contains(key) }
}

extension Sequence where Element == DomainSeal {
    /// The keys that no seal decides; without a seal there are none to name.
    var free: Set<Key> {
        var free: Set<Key>?
        for seal in self { free = free?.intersection(seal.free) ?? seal.free }
        return free ?? []
    }
}
