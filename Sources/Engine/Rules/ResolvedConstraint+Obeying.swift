package import Policy
package import PropertyList

extension ResolvedConstraint {
    /// What a lookup returns of a value that a user controls; `nil` where the value is passed over.
    func obeyed(_ value: Value) -> Value? {
        switch entry.constraint.verdict(on: value) {
        case .allowed: value
        case .clamped(let bound): bound
        case .refused: nil
        }
    }
}

extension LayerKind {
    /// Whether the user controls what the layer holds, so that constraints apply to it: arguments and stored domains.
    package var isUsers: Bool {
        switch self {
        case .argument, .applicationHost, .application, .suite, .globalHost, .global: true
        case .forced, .applicationAllUsers, .globalAllUsers, .recommended, .language, .registration: false
        }
    }
}

extension ResultantSet {
    /// The constraints of lookups in some domains, by key; of several for one key the first domain's.
    ///
    /// Complexity: O(constraints of the domains).
    package func constraints(in domains: [Key]) -> [Key: ResolvedConstraint] {
        if constraints.isEmpty { return [:] }
        var result: [Key: ResolvedConstraint] = [:]
        for domain in domains {
            if let own = constraints[domain] { result.merge(own) { first, _ in first } }
        }
        return result
    }

    /// The constraint of lookups of a key in some domains, the first domain's; `nil` where there is none.
    package func constraint(of key: Key, in domains: [Key]) -> ResolvedConstraint? {
        if constraints.isEmpty { return nil }
        for domain in domains {
            if let constraint = constraints[domain]?[key] { return constraint }
        }
        return nil
    }
}

extension ResultantSet {
    /// The constraints, by domain and key in byte order.
    package var sortedConstraints: [ResolvedConstraint] {
        constraints.values.flatMap(\.values).sorted { left, right in
            let (one, other) = (left.entry, right.entry)
            return one.domain == other.domain ? one.key < other.key : one.domain < other.domain
        }
    }
}
