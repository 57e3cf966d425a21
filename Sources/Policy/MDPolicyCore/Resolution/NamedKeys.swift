import MDPolicyModel
package import MDPropertyList

/// The keys that policy forces, seals or constrains, for whichever user.
///
/// Their number is the administrator's to choose, and no user's: what is counted once a key cannot be made to grow.
package struct NamedKeys: Hashable, Sendable {
    /// The keys by domain.
    private var keys: [Key: Set<Key>] = [:]
    /// The domains whose every key is forced.
    private var sealed: Set<Key> = []

    /// Makes an empty set.
    package init() {}

    /// The keys of some policy files.
    package init(of policies: PolicySet) {
        for file in policies.files.lazy.compactMap(\.policy) {
            for entry in file.entries where entry.level.isForcing {
                keys[entry.domain, default: []].insert(entry.key)
            }
            for entry in file.constraints { keys[entry.domain, default: []].insert(entry.key) }
            sealed.formUnion(file.seals.map(\.domain))
        }
    }

    /// Whether there is none.
    package var isEmpty: Bool { keys.isEmpty && sealed.isEmpty }

    /// A number for a key that policy names; all keys of a sealed domain have the same.
    ///
    /// - Parameters:
    ///   - key: the key; `nil` for the whole domain.
    ///   - domain: the domain, beneath which every program looks into the global one.
    /// - Returns: `nil` if policy names neither this key of the domain nor of the global one.
    package func mark(of key: Key?, in domain: Key) -> UInt64? {
        for place in [domain, "NSGlobalDomain"] {
            if sealed.contains(place) { return NamedKeys.mark(place, "") }
            guard let names = keys[place] else { continue }
            guard let key else { return NamedKeys.mark(place, "") }
            if names.contains(key) { return NamedKeys.mark(place, key) }
        }
        return nil
    }

    /// The number of a name: FNV-1a of its bytes, which only the administrator chooses.
    private static func mark(_ domain: Key, _ key: Key) -> UInt64 {
        [domain, key].reduce(0xcbf2_9ce4_8422_2325) { mark, name in
            (name.string.utf8 + [0]).reduce(mark) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        }
    }
}
