package import Policy
package import PropertyList

/// Why an application finds the value of a key that it finds: the whole search list and who wins in it.
///
/// A program's own arguments, languages and registered defaults are known to it alone and are left out.
package struct Explanation: Sendable {
    /// The application's domain.
    package let domain: Key
    /// The key.
    package let key: Key
    /// Every place that a lookup asks, in order.
    package let layers: [ExplainedLayer]
    /// The index of the layer that decides; `nil` where none has the key.
    package let winner: Int?
    /// What people are told about the key.
    package let metadata: KeyMetadata
    /// The waivers of the key that are meant for the user, in order of application.
    package let waivers: [ResolvedWaiver]

    /// Finds who wins: a forced value, else a forced entry without a value, else the first layer that has the key.
    ///
    /// - Parameters:
    ///   - domain: the application's domain.
    ///   - key: the key.
    ///   - layers: the places in the order of the search list.
    ///   - metadata: what people are told about the key.
    ///   - waivers: the waivers of the key.
    package init(
        domain: Key, key: Key, layers: [ExplainedLayer], metadata: KeyMetadata = KeyMetadata(),
        waivers: [ResolvedWaiver] = []
    ) {
        self.metadata = metadata
        self.waivers = waivers
        self.domain = domain
        self.key = key
        self.layers = layers
        winner =
            layers.firstIndex { $0.kind == .forced && $0.value != nil }
            ?? layers.firstIndex { $0.kind == .forced && $0.entry != nil }
            ?? layers.firstIndex { $0.effective != nil }
    }

    /// The layer that decides.
    package var winningLayer: ExplainedLayer? { winner.map { layers[$0] } }
    /// The value that the application finds; `nil` where there is none, by policy or because nobody has the key.
    package var value: Value? { winningLayer?.effective }
    /// What the user's value must be like; `nil` where anything is allowed, or policy decides.
    package var constraint: ResolvedConstraint? { isForced ? nil : layers.lazy.compactMap(\.constraint).first }
    /// Whether policy decides.
    package var isForced: Bool { winningLayer?.kind == .forced }

    /// A value, or an absent entry, that would count if what stands before it were gone.
    package struct Loss: Sendable {
        /// The layer.
        package let kind: LayerKind
        /// The domain.
        package let domain: Key
        /// The value; `nil` for an absent entry.
        package let value: Value?
        /// Whether a constraint leaves nothing of it, so that it would not count either.
        package let isPassedOver: Bool
        /// The policy entry's level; `nil` for a stored value.
        package let level: Level?
        /// The policy entry's place; `nil` for a stored value.
        package let origin: Origin?
        /// The file of a stored value, as people are shown it.
        package let path: String?
    }

    /// Everything that loses: the entries that lost within policy, then the layers behind the winner, in search order.
    package var losses: [Loss] {
        layers.enumerated().flatMap { index, layer in
            var losses: [Loss] = []
            if index != winner, layer.value != nil || layer.entry != nil {
                losses.append(
                    Loss(
                        kind: layer.kind, domain: layer.domain, value: layer.value,
                        isPassedOver: layer.value != nil && layer.effective == nil, level: layer.entry?.level,
                        origin: layer.entry?.origin, path: layer.path))
            }
            for loser in layer.entry?.losers ?? [] {
                losses.append(
                    Loss(
                        kind: layer.kind, domain: layer.domain, value: loser.value, isPassedOver: false,
                        level: loser.level,
                        origin: loser.origin, path: nil))
            }
            return losses
        }
    }
}
