import Platform
package import Policy
package import PropertyList

extension DefaultsEngine {
    /// What a lookup finds, and why.
    package struct Look: Sendable {
        /// The value.
        package let value: Value?
        /// The forced or absent entry that decides.
        package let forced: ResolvedEntry?
        /// What the user's value must be like; `nil` where anything is allowed, or policy decides.
        package let constraint: ResolvedConstraint?
        /// Whether the value was set by somebody: it comes neither from the registered defaults nor from a language.
        package let isSet: Bool
    }

    /// Looks a key up, at one moment.
    ///
    /// Complexity: O(layers), under the store's lock; ``cell`` answers faster where only the value is asked for.
    package func look(at key: Key) -> Look {
        store.lookWhileUnwatched()
        return store.state.withLock { _ in
            let answer = view.layers.answer(for: key, under: view.constraints)
            let isSet = answer.layer.map { $0.kind != .registration && $0.kind != .language } ?? false
            return Look(
                value: answer.value, forced: answer.forced,
                constraint: answer.forced == nil ? view.constraints[key] : nil, isSet: isSet)
        }
    }

    /// Remembers what went wrong, for ``takeProblems()``.
    package func note(_ problem: String) {
        store.note(problem)
    }
}
