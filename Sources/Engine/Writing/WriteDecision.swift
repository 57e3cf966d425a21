package import Policy
package import PropertyList

/// What becomes of a write, before anything is written.
package enum WriteDecision: Sendable {
    /// Nothing forces the key: the user's domain takes the value, or loses it.
    case store
    /// The value is the one that is forced anyway: nothing is stored, and nobody tried to override anything.
    case unchanged
    /// The key is forced: nothing is stored. An override attempt.
    case refuse(ResolvedEntry)
    /// The key is forced and its policy says `shadow`: stored, without effect while the key is forced. An override
    /// attempt.
    case shadow(ResolvedEntry)
    /// The value is outside of a constraint, which leaves this one: stored in its place. An override attempt.
    case clamp(Value, ResolvedConstraint)
    /// The value is outside of a constraint that leaves nothing of it: nothing is stored. An override attempt.
    case outside(ResolvedConstraint)
    /// A forced key is removed: the user's hidden value goes, nothing changes in effect. Recorded as `remove`, `hidden`.
    case removeHidden(ResolvedEntry)

    /// Decides about a write.
    ///
    /// - Parameters:
    ///   - value: the new value; `nil` removes the key.
    ///   - entry: the forced or absent entry that decides lookups of the key; `nil` where none does.
    ///   - constraint: the constraint of such lookups; where an entry decides, it does not count.
    package init(of value: Value?, under entry: ResolvedEntry?, _ constraint: ResolvedConstraint?) {
        guard let entry else {
            guard let value, let constraint else {
                self = .store
                return
            }
            self =
                switch constraint.entry.constraint.verdict(on: value) {
                case .allowed: .store
                case .clamped(let bound): .clamp(bound, constraint)
                case .refused: .outside(constraint)
                }
            return
        }
        switch (value, entry.value) {
        // While it is unknown what policy says, nothing changes.
        case (nil, _): self = entry.isUndecided ? .refuse(entry) : .removeHidden(entry)
        case (.some(let value), .some(let forced)) where value == forced: self = .unchanged
        default: self = entry.onOverride == .shadow ? .shadow(entry) : .refuse(entry)
        }
    }
}
