package import Policy
package import PropertyList

/// One place of the search list, whatever holds its content.
package protocol SearchedLayer {
    /// The place in the search list.
    var kind: LayerKind { get }
    /// The policy entries of a forced or recommended layer, absent ones included; empty for any other.
    var entries: [Key: ResolvedEntry] { get }
    /// The seal of a forced layer's domain; `nil` for a domain without one, and for any other layer.
    var seal: DomainSeal? { get }
    /// The values.
    var values: [Key: Value] { get }
    /// The policy entry of a key, that of the seal included.
    func entry(of key: Key) -> ResolvedEntry?
    /// The value of a key.
    func value(of key: Key) -> Value?
}

extension Sequence where Element: SearchedLayer {
    /// Looks a key up: the first layer that has it wins.
    ///
    /// Values of the forced layers are tried first; behind an absent entry only the registered defaults answer. A value
    /// that the user controls and a constraint does not allow is clamped, or passed over.
    ///
    /// Complexity: O(layers).
    func answer(
        for key: Key, under constraints: [Key: ResolvedConstraint]
    ) -> (value: Value?, layer: Element?, forced: ResolvedEntry?) {
        var absent: ResolvedEntry?
        let constraint = constraints[key]
        for layer in self {
            if layer.kind == .forced {
                guard let entry = layer.entry(of: key) else { continue }
                if let value = entry.value { return (value, layer, entry) }
                absent = absent ?? entry
            } else if absent == nil || layer.kind == .registration, let value = layer.value(of: key) {
                guard let constraint, layer.kind.isUsers else { return (value, layer, absent) }
                if let value = constraint.obeyed(value) { return (value, layer, absent) }
            }
        }
        return (nil, nil, absent)
    }

    /// What lookups return, key by key (`dictionaryRepresentation`).
    ///
    /// Complexity: O(keys of all layers).
    func union(under constraints: [Key: ResolvedConstraint]) -> [Key: Value] {
        var result: [Key: Value] = [:]
        var absent = Set<Key>()
        var seals: [DomainSeal] = []
        for layer in self {
            if layer.kind == .forced {
                for (key, entry) in layer.entries where result[key] == nil {
                    if let value = entry.value { result[key] = value } else { absent.insert(key) }
                }
                if let seal = layer.seal { seals.append(seal) }
                continue
            }
            var values = layer.values
            if layer.kind != .registration {
                for key in absent { values[key] = nil }
                if !seals.isEmpty { values = values.filter { key, _ in !seals.contains { $0.covers(key) } } }
            }
            if layer.kind.isUsers {
                for (key, constraint) in constraints { values[key] = values[key].flatMap { constraint.obeyed($0) } }
            }
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
    func fill(_ table: LookupTable, under constraints: [Key: ResolvedConstraint], _ seals: [DomainSeal]) {
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
            if let known = table.state(of: key) {
                // What is there without a value is absent by policy.
                if kind == .registration, !known.hasValue { _ = table.put(key, value, isForced: true) }
            } else if !seals.isEmpty, seals.contains(where: { $0.covers(key) }) {
                _ = table.put(key, kind == .registration ? value : nil, isForced: true)
            } else if kind.isUsers, let constraint = constraints[key] {
                if let value = constraint.obeyed(value) { _ = table.put(key, value, isForced: false) }
            } else {
                _ = table.put(key, value, isForced: false)
            }
        }
    }
}
