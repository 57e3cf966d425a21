package import MDPolicyCore
import MDPolicyModel
import MDPolicyStore
package import MDPreferences
package import MDPropertyList

/// A layer of the search list with its content.
package struct SearchLayer: SearchedLayer, Sendable {
    /// What became of reading the layer.
    package enum State: Sendable {
        /// It holds values or entries, perhaps none.
        case read
        /// There is nothing to read: no file, or no policy for the domain.
        case missing
        /// It could not be read.
        case unreadable(PreferencesError)
    }

    /// The place in the search list.
    package let kind: LayerKind
    /// The domain that the values belong to.
    package let domain: Key
    /// The values, pending ones included; for forced and recommended layers those of the policy entries.
    package let values: [Key: Value]
    /// The policy entries of a forced or recommended layer, absent ones included; empty for any other.
    package let entries: [Key: ResolvedEntry]
    /// The seal of a forced layer's domain, if it has one.
    package let seal: DomainSeal?
    /// What became of reading the layer.
    package let state: State
    /// The entries that policy sets once in a stored domain when an application opens it next.
    package let pending: [Key: ResolvedEntry]
    /// The file of a stored domain as people are shown it, if it is missing the one that would be written; `nil` for
    /// policy and for what is in memory only.
    package let path: String?

    /// Makes a layer of stored or volatile values.
    package init(
        _ kind: LayerKind, domain: Key, values: [Key: Value], pending: [Key: ResolvedEntry] = [:], state: State = .read,
        path: String? = nil
    ) {
        (self.kind, self.domain, self.values, self.pending) = (kind, domain, values, pending)
        (self.state, self.path, entries, seal) = (state, path, [:], nil)
    }

    /// Makes a layer of policy.
    ///
    /// - Parameters:
    ///   - kind: the place in the search list.
    ///   - domain: the domain.
    ///   - entries: what policy says about the domain on this level; `nil` if it says nothing.
    ///   - seal: the seal of a forced layer's domain.
    package init(_ kind: LayerKind, domain: Key, entries: [Key: ResolvedEntry]?, seal: DomainSeal? = nil) {
        (self.kind, self.domain, self.entries, self.seal) = (kind, domain, entries ?? [:], seal)
        values = self.entries.compactMapValues(\.value)
        state = entries == nil && seal == nil ? .missing : .read
        (pending, path) = ([:], nil)
    }

    /// The policy entry of a key.
    package func entry(of key: Key) -> ResolvedEntry? { entries[key] ?? seal?.entry(of: key) }

    /// The value of a key.
    package func value(of key: Key) -> Value? { values[key] }

    /// Why the layer could not be read; `nil` if it could.
    package var failure: PreferencesError? {
        if case .unreadable(let error) = state { error } else { nil }
    }
}

/// The layers that lookups of one application ask, in order, with their content.
package struct SearchList: Sendable {
    /// The layers, from the one that is asked first, those without content included.
    package let layers: [SearchLayer]
    /// The constraints of values that the user controls, by key.
    package let constraints: [Key: ResolvedConstraint]

    /// Makes a search list of layers in the order of ``SearchOrder/positions``.
    package init(layers: [SearchLayer], constraints: [Key: ResolvedConstraint] = [:]) {
        self.layers = layers
        self.constraints = constraints
    }

    /// Looks a key up.
    ///
    /// Complexity: O(layers).
    package func lookUp(_ key: Key) -> LookupResult { layers.lookUp(key, under: constraints) }

    /// Every key that a layer holds a value for, or that an entry keeps absent, in byte order.
    package var keys: [Key] {
        var keys = Set<Key>()
        for layer in layers {
            keys.formUnion(layer.values.keys)
            keys.formUnion(layer.entries.keys)
        }
        return keys.sorted()
    }

    /// What lookups return, key by key (`dictionaryRepresentation`).
    package var union: [Key: Value] { layers.union(under: constraints) }

    /// A sentence for each file that could not be read.
    package var problems: [String] { layers.compactMap { $0.failure?.description } }
}
