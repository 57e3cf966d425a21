import MDPropertyList

/// What lookups of all keys return, as applications get it, kept from one request to the next.
///
/// A request after a change looks up only the keys that changed. Programs that never ask have none.
struct KeptUnion {
    /// The values; `nil` before the first request, and after a change of more than some keys.
    private var values: [String: any Sendable]?
    /// The keys that changed since.
    private var changed: [Key] = []
    /// The most such keys; with more, all are looked up again.
    private static let limit = 256

    /// Notes that a lookup of a key may return something else now.
    mutating func note(_ keys: some Collection<Key>) {
        guard values != nil else { return }
        if changed.count + keys.count > KeptUnion.limit { return drop() }
        changed += keys
    }

    /// Notes that all lookups may.
    mutating func drop() {
        (values, changed) = (nil, [])
    }

    /// What lookups return.
    ///
    /// Complexity: O(changed keys); O(keys) if the last answer is still in use, and the first time.
    ///
    /// - Parameters:
    ///   - lookUp: looks a key up.
    ///   - all: looks all keys up.
    ///   - bridge: makes of a value what applications get.
    /// - Returns: the values.
    mutating func current(
        lookUp: (Key) -> Value?, all: () -> [Key: Value], _ bridge: (Value) -> any Sendable
    ) -> [String: any Sendable] {
        guard values != nil else {
            let all = all()
            var made: [String: any Sendable] = [:]
            made.reserveCapacity(all.count)
            // Keys whose bytes differ may be one String: the first is in the dictionary, with its value, and which is not kept.
            let isPlain = all.keys.allSatisfy(KeptUnion.isPlain)
            for (key, value) in all where isPlain || made.index(forKey: key.string) == nil {
                made[key.string] = bridge(value)
            }
            if isPlain { values = made }
            return made
        }
        guard changed.allSatisfy(KeptUnion.isPlain) else {
            drop()
            return current(lookUp: lookUp, all: all, bridge)
        }
        for key in changed { values?[key.string] = lookUp(key).map(bridge) }
        changed.removeAll(keepingCapacity: true)
        return values ?? [:]
    }

    /// Whether no key of other bytes is the same String.
    private static func isPlain(_ key: Key) -> Bool {
        key.string.utf8.allSatisfy { $0 < 0x80 }
    }
}
