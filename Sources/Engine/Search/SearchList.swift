package import Policy
package import PropertyList

/// The ordered domains that a lookup walks; the first that has the key wins.
///
/// Order and rules are those of the design's search list: values of the forced layers are tried first; an absent entry
/// in one of them then skips everything but the registered defaults.
package struct SearchList: Sendable {
    /// The layers, from the one that is asked first.
    package let layers: [SearchLayer]
    /// What values that the user controls must be like, by key.
    package let constraints: [Key: ResolvedConstraint]

    /// Makes a search list of layers that are in the order of ``LayerKind``.
    package init(layers: [SearchLayer], constraints: [Key: ResolvedConstraint] = [:]) {
        self.layers = layers
        self.constraints = constraints
    }

    /// What a lookup finds.
    package struct Answer: Sendable {
        /// The value, or `nil` where no layer has the key.
        package let value: Value?
        /// The layer that gave the value; `nil` without one.
        package let layer: SearchLayer?
        /// The forced or absent entry that decided; `nil` where the key is not forced.
        package let forced: ResolvedEntry?
    }

    /// Looks a key up.
    ///
    /// Complexity: O(layers).
    package func answer(for key: Key) -> Answer {
        let answer = layers.answer(for: key, under: constraints)
        return Answer(value: answer.value, layer: answer.layer, forced: answer.forced)
    }

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
}
