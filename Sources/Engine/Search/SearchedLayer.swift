package import Policy
package import PropertyList

/// One place of the search list, whatever holds its content.
package protocol SearchedLayer {
    /// The place in the search list.
    var kind: LayerKind { get }
    /// The policy entries of a forced or recommended layer, absent ones included; empty for any other.
    var entries: [Key: ResolvedEntry] { get }
    /// The values.
    var values: [Key: Value] { get }
    /// The policy entry of a key.
    func entry(of key: Key) -> ResolvedEntry?
    /// The value of a key.
    func value(of key: Key) -> Value?
}

extension Sequence where Element: SearchedLayer {
    /// Looks a key up: the first layer that has it wins.
    ///
    /// Values of the forced layers are tried first; behind an absent entry only the registered defaults answer.
    ///
    /// Complexity: O(layers).
    func answer(for key: Key) -> (value: Value?, layer: Element?, forced: ResolvedEntry?) {
        var absent: ResolvedEntry?
        for layer in self {
            if layer.kind == .forced {
                guard let entry = layer.entry(of: key) else { continue }
                if let value = entry.value { return (value, layer, entry) }
                absent = absent ?? entry
            } else if absent == nil || layer.kind == .registration, let value = layer.value(of: key) {
                return (value, layer, absent)
            }
        }
        return (nil, nil, absent)
    }

    /// What lookups return, key by key (`dictionaryRepresentation`).
    ///
    /// Complexity: O(keys of all layers).
    var union: [Key: Value] {
        var result: [Key: Value] = [:]
        var absent = Set<Key>()
        for layer in self {
            if layer.kind == .forced {
                for (key, entry) in layer.entries where result[key] == nil {
                    if let value = entry.value { result[key] = value } else { absent.insert(key) }
                }
                continue
            }
            var values = layer.values
            if layer.kind != .registration { for key in absent { values[key] = nil } }
            result.merge(values) { first, _ in first }
        }
        return result
    }

    /// The forced or absent entry that decides lookups of a key; the forced layers stand first.
    ///
    /// Complexity: O(forced layers).
    func forcedEntry(for key: Key) -> ResolvedEntry? {
        var absent: ResolvedEntry?
        for layer in self {
            guard layer.kind == .forced else { break }
            guard let entry = layer.entry(of: key) else { continue }
            if entry.value != nil { return entry }
            absent = absent ?? entry
        }
        return absent
    }
}

extension SearchedLayer {
    /// Counts the room that the layer's keys take in a table.
    func measure(into size: inout TableSize) {
        if kind == .forced {
            for (key, entry) in entries { size.add(key, entry.value) }
        } else {
            for (key, value) in values { size.add(key, value) }
        }
    }

    /// Puts the layer's keys into a table that holds those of the layers ahead of it, and has the room.
    func fill(_ table: LookupTable) {
        if kind == .forced {
            for (key, entry) in entries {
                let known = table.state(of: key)
                if known == nil || entry.value != nil && known?.hasValue == false {
                    _ = table.put(key, entry.value, isForced: true)
                }
            }
            return
        }
        for (key, value) in values {
            let known = table.state(of: key)
            // What is there without a value is absent by policy.
            if known == nil || kind == .registration && known?.hasValue == false {
                _ = table.put(key, value, isForced: known != nil)
            }
        }
    }
}
