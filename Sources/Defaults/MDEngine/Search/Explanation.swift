package import MDPolicyCore
package import MDPolicyModel
package import MDPreferences
package import MDPropertyList

/// Why an application finds the value of a key that it finds: the whole search list, and which layer wins.
///
/// A program's own arguments, languages and registered defaults are known to it alone and are left out.
package struct Explanation: Sendable {
    /// The application's domain.
    package let domain: Key
    /// The key.
    package let key: Key
    /// Every layer that a lookup asks, in order.
    package let layers: [ExplainedLayer]
    /// The index of the layer that decides; `nil` if none has the key.
    package let winner: Int?
    /// Title, description and sensitivity of the key.
    package let metadata: KeyMetadata
    /// The waivers of the key that are meant for the user, in order of application.
    package let waivers: [ResolvedWaiver]

    /// Explains a lookup.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - domain: the application's domain.
    ///   - list: the search list.
    ///   - metadata: title, description and sensitivity of the key.
    ///   - waivers: the waivers of the key.
    package init(
        of key: Key, in domain: Key, by list: SearchList, metadata: KeyMetadata = KeyMetadata(),
        waivers: [ResolvedWaiver] = []
    ) {
        (self.metadata, self.waivers, self.domain, self.key) = (metadata, waivers, domain, key)
        layers = list.layers.map { ExplainedLayer($0, key, $0.kind.isUsers ? list.constraints[key] : nil) }
        winner = list.lookUp(key).winner
    }

    /// The layer that decides.
    package var winningLayer: ExplainedLayer? { winner.map { layers[$0] } }
    /// The value that the application finds; `nil` if there is none, by policy or because no layer has the key.
    package var value: Value? { winningLayer?.effective }
    /// The constraint of the user's value; `nil` if anything is allowed, or policy decides.
    package var constraint: ResolvedConstraint? { isForced ? nil : layers.lazy.compactMap(\.constraint).first }
    /// Whether policy decides.
    package var isForced: Bool { winningLayer?.kind == .forced }

    /// A value, or an absent entry, that would count without the layers ahead of it.
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

/// What a layer of the search list holds of one key.
package struct ExplainedLayer: Sendable {
    /// What a layer holds of the key.
    package enum Content: Sendable {
        /// This value.
        case value(Value)
        /// By policy, no value.
        case absent
        /// Other keys only.
        case nothing
        /// Nothing at all: there is no file, or no policy entry of the domain.
        case missing
        /// Unknown: the layer could not be read.
        case unreadable(PreferencesError)
    }

    /// The place in the search list.
    package let kind: LayerKind
    /// The domain that is asked there.
    package let domain: Key
    /// What it holds.
    package let content: Content
    /// The entry of a forced or recommended layer, if it has the key, or the one that is set once there.
    package let entry: ResolvedEntry?
    /// Whether the entry is that of a seal, which names no key.
    package let isSealed: Bool
    /// Whether the value is one that policy sets once, when an application opens the domain next.
    package let isPending: Bool
    /// The constraint of the user's value; `nil` if anything is allowed, and for layers that are not the user's.
    package let constraint: ResolvedConstraint?
    /// The file of a stored layer as people are shown it; if it is missing, the one that would be written.
    package let path: String?

    /// Reads a key from a layer.
    init(_ layer: SearchLayer, _ key: Key, _ constraint: ResolvedConstraint?) {
        (kind, domain, path, self.constraint) = (layer.kind, layer.domain, layer.path, constraint)
        let pending = layer.pending[key]
        let entry = layer.entry(of: key) ?? pending
        self.entry = entry
        isPending = pending != nil
        isSealed = entry != nil && pending == nil && layer.entries[key] == nil
        content =
            if let value = layer.value(of: key) {
                .value(value)
            } else if entry != nil {
                .absent
            } else {
                switch layer.state {
                case .read: .nothing
                case .missing: .missing
                case .unreadable(let error): .unreadable(error)
                }
            }
    }

    /// The value that counts: the one that is there, the nearest one that a constraint allows, or `nil` if the
    /// constraint allows none.
    package var effective: Value? {
        guard let value, let constraint else { return value }
        return constraint.clamp(value)
    }

    /// The value, if there is one.
    package var value: Value? {
        if case .value(let value) = content { value } else { nil }
    }
}
