package import MDPolicyCore
package import MDPropertyList

/// A layer of the search list with its content, wherever that is.
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

/// The result of a lookup, the layer that decides, and the rule of policy for the key.
package struct LookupResult: Sendable {
    /// What the lookup returns; `nil` if no layer has the key, or policy says that it has no value.
    package let value: Value?
    /// The index of the layer that the value comes from; `nil` without a value.
    package let source: Int?
    /// The index of the forced layer that decides; `nil` if the key is not forced.
    package let forcing: Int?
    /// What policy says of the key.
    package let rule: KeyRule

    /// The index of the layer that decides: the one that forces the key, else the one that has the value.
    package var winner: Int? { forcing ?? source }
}

/// Collects what lookups find, key by key.
protocol LookupCollector {
    /// What is known of a key so far; `nil` if nothing was put.
    func state(of key: Key) -> (hasValue: Bool, isForced: Bool)?

    /// Adds or replaces what lookups of a key find.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - value: what lookups return; `nil` for nothing.
    ///   - isForced: whether policy decides the key.
    mutating func collect(_ key: Key, _ value: Value?, isForced: Bool)

    /// Adds the values of a layer whose keys no seal and no constraint concerns, unless a key is known already.
    mutating func collect(unlessKnown values: [Key: Value])
}

extension LookupCollector {
    /// Adds the values of a layer key by key.
    mutating func collect(unlessKnown values: [Key: Value]) {
        for (key, value) in values where state(of: key) == nil { collect(key, value, isForced: false) }
    }
}

/// The walker of the search list: ``lookUp(_:under:)`` for one key, ``collect(into:under:)`` for all of them.
///
/// Both follow the same rules. Values of the forced layers, which are first, are tried before anything else. An absent
/// entry then skips everything but the registered defaults. A forced layer whose policy is unknown ends the search as an
/// absent entry does. Otherwise the first layer that has the key wins; a value that the user controls and a constraint
/// does not allow is clamped, or passed over.
extension Array where Element: SearchedLayer {
    /// Looks a key up.
    ///
    /// Complexity: O(layers).
    package func lookUp(_ key: Key, under constraints: [Key: ResolvedConstraint]) -> LookupResult {
        let deciding = deciding(key)
        // Most keys are free: no entry and no constraint is copied for them.
        let rule = deciding == nil && constraints.isEmpty ? KeyRule.free : KeyRule(deciding?.entry, constraints[key])
        if let deciding, let value = deciding.entry.value {
            return LookupResult(value: value, source: deciding.index, forcing: deciding.index, rule: rule)
        }
        for (index, layer) in enumerated() {
            if layer.kind == .forced || deciding != nil && layer.kind != .registration { continue }
            guard var value = layer.value(of: key) else { continue }
            if layer.kind.isUsers, case .constrained(let constraint) = rule {
                guard let clamped = constraint.clamp(value) else { continue }
                value = clamped
            }
            return LookupResult(value: value, source: index, forcing: deciding?.index, rule: rule)
        }
        return LookupResult(value: nil, source: nil, forcing: deciding?.index, rule: rule)
    }

    /// What policy says of a key; the value is not looked up.
    ///
    /// Complexity: O(forced layers).
    func rule(of key: Key, under constraints: [Key: ResolvedConstraint]) -> KeyRule {
        KeyRule(deciding(key)?.entry, constraints[key])
    }

    /// The forced or absent entry that decides lookups of a key, and the index of its layer.
    private func deciding(_ key: Key) -> (entry: ResolvedEntry, index: Int)? {
        let count = firstIndex { $0.kind != .forced } ?? count
        return ResolvedEntry.deciding(among: count) { self[$0].entry(of: key) }
    }

    /// Looks up every key that a layer has, or that a seal leaves free.
    ///
    /// Complexity: O(keys of all layers).
    func collect(into collector: inout some LookupCollector, under constraints: [Key: ResolvedConstraint]) {
        let seals = compactMap(\.seal)
        var isPolicyKnown = true
        for layer in self {
            if layer.kind == .forced {
                // A layer behind a domain whose policy is unknown decides nothing; its seal has every key.
                guard isPolicyKnown else { continue }
                isPolicyKnown = layer.seal?.isOfUnknownPolicy != true
                for (key, entry) in layer.entries {
                    let known = collector.state(of: key)
                    if known == nil || entry.value != nil && known?.hasValue == false {
                        collector.collect(key, entry.value, isForced: true)
                    }
                }
            } else if layer.kind != .registration, seals.isEmpty, !layer.kind.isUsers || constraints.isEmpty {
                collector.collect(unlessKnown: layer.values)
            } else {
                for (key, value) in layer.values {
                    if let known = collector.state(of: key) {
                        // A known key without a value is absent by policy.
                        if layer.kind == .registration, !known.hasValue {
                            collector.collect(key, value, isForced: true)
                        }
                    } else if !seals.isEmpty, seals.contains(where: { $0.covers(key) }) {
                        collector.collect(key, layer.kind == .registration ? value : nil, isForced: true)
                    } else if layer.kind.isUsers, let constraint = constraints[key] {
                        if let value = constraint.clamp(value) { collector.collect(key, value, isForced: false) }
                    } else {
                        collector.collect(key, value, isForced: false)
                    }
                }
            }
        }
        for key in seals.free where collector.state(of: key) == nil { collector.collect(key, nil, isForced: false) }
    }

    /// What lookups return, key by key (`dictionaryRepresentation`).
    ///
    /// Complexity: O(keys of all layers).
    func union(under constraints: [Key: ResolvedConstraint]) -> [Key: Value] {
        var union = LookupUnion()
        collect(into: &union, under: constraints)
        return union.values
    }
}

/// What lookups of every key return.
private struct LookupUnion: LookupCollector {
    /// The values.
    private(set) var values: [Key: Value] = [:]
    /// The keys that are forced to have no value.
    private var absent: Set<Key> = []

    /// What is known of a key; whether it is forced is not needed.
    func state(of key: Key) -> (hasValue: Bool, isForced: Bool)? {
        if values[key] != nil { return (true, false) }
        return absent.contains(key) ? (false, false) : nil
    }

    /// Adds a key.
    mutating func collect(_ key: Key, _ value: Value?, isForced: Bool) {
        values[key] = value
        if value == nil { absent.insert(key) } else if !absent.isEmpty { absent.remove(key) }
    }

    /// Adds the values of a layer; each key is hashed once if no key is absent.
    mutating func collect(unlessKnown values: [Key: Value]) {
        self.values.merge(values) { known, _ in known }
        for key in absent { self.values[key] = nil }
    }
}

extension Sequence where Element == DomainSeal {
    /// The keys that no seal decides; empty if there is no seal.
    var free: Set<Key> {
        var free: Set<Key>?
        for seal in self { free = free?.intersection(seal.free) ?? seal.free }
        return free ?? []
    }
}
