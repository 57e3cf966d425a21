import Audit
import Platform
import Policy
import Preferences
import PropertyList

/// A stored value outside of its constraint, by which a process knows that it has found it before.
struct FoundValue: Hashable {
    /// The domain's file.
    let place: StoredPlace
    /// The key.
    let key: Key
    /// The value, as a record would show it.
    let value: ValueSummary
}

/// A stored value outside of its constraint, and for which application it was found.
struct FoundAttempt {
    /// What is recorded.
    let attempt: OverrideAttempt
    /// The application.
    let identity: ApplicationIdentity
}

extension DefaultsStore.State {
    /// The most values that a process remembers; further ones are recorded each time they are found.
    private static let foundLimit = 4_096

    /// Looks for stored values that a view's constraints do not allow: something wrote them past the library, or before
    /// there was the constraint.
    ///
    /// Complexity: O(constraints x layers); nothing without constraints.
    ///
    /// - Parameters:
    ///   - view: the view.
    ///   - keys: the keys whose values may be new; `nil` for all.
    mutating func noteValuesOutside(of view: DefaultsView, keys: (some Collection<Key>)?) {
        if view.constraints.isEmpty { return }
        for (key, constraint) in view.constraints where keys.map({ $0.contains(key) }) ?? true {
            // Where policy decides the key, what the user stored counts as hidden anyway.
            if view.layers.forcedEntry(for: key) != nil { continue }
            for layer in view.layers where layer.kind.isUsers {
                guard case .content(_, let domain, let content) = layer, let place = content.place,
                    let value = content.values[key]
                else { continue }
                let obeyed = constraint.obeyed(value)
                if let obeyed, obeyed.isIdentical(to: value) { continue }
                let identity = FoundValue(place: place, key: key, value: ValueSummary(value))
                guard found.count >= Self.foundLimit || found.insert(identity).inserted else { continue }
                attempts.append(
                    FoundAttempt(
                        attempt: OverrideAttempt(
                            constraint, kept: obeyed, domain: domain, tried: value, via: .file,
                            outcome: obeyed == nil ? .hidden : .clamped),
                        identity: view.identity))
            }
        }
    }

    /// Looks at every constraint of a view.
    mutating func noteValuesOutside(of view: DefaultsView) {
        noteValuesOutside(of: view, keys: [Key]?.none)
    }
}

extension DefaultsStore {
    /// Records the values that were found outside of their constraints.
    func recordFound() {
        let attempts = state.withLock { state -> [FoundAttempt] in
            if state.attempts.isEmpty { return [] }
            defer { state.attempts = [] }
            return state.attempts
        }
        for found in attempts { record(found.attempt, of: found.identity) }
    }
}
