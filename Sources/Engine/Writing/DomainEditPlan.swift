import Policy
import PropertyList

/// The decisions about every key of an edit.
struct DomainEditPlan {
    /// A forced key that the edit would change.
    struct Attempt {
        /// The entry that forces it.
        let entry: ResolvedEntry
        /// The value that was tried; `nil` for a removal.
        let tried: Value?
    }

    /// A value outside of a constraint.
    struct Excess {
        /// The constraint.
        let constraint: ResolvedConstraint
        /// The value that was tried.
        let tried: Value
        /// The value that the constraint leaves; `nil` where it leaves none.
        let kept: Value?
    }

    /// What is to be stored; `nil` removes.
    private(set) var changes: [Key: Value?] = [:]
    /// The attempts that nothing may come of, in byte order of their keys.
    private(set) var refused: [Attempt] = []
    /// The attempts that are stored underneath.
    private(set) var shadowed: [Attempt] = []
    /// The values outside of constraints, in byte order of their keys; those that leave something are stored so.
    private(set) var excesses: [Excess] = []
    /// The removals of values beneath forced ones.
    private(set) var hidden: [Attempt] = []

    /// Decides.
    ///
    /// - Parameters:
    ///   - asked: the keys with the values they are to have; `nil` removes.
    ///   - entry: the forced or absent entry that decides a key, or `nil`.
    ///   - constraint: what the value of a key must be like, or `nil`.
    init(
        _ asked: [Key: Value?], under entry: (Key) -> ResolvedEntry?, _ constraint: (Key) -> ResolvedConstraint?
    ) {
        for (key, value) in asked.sorted(by: { $0.key < $1.key }) {
            switch WriteDecision(of: value, under: entry(key), constraint(key)) {
            case .store: changes.updateValue(value, forKey: key)
            case .unchanged: break
            case .refuse(let entry): refused.append(Attempt(entry: entry, tried: value))
            case .shadow(let entry):
                shadowed.append(Attempt(entry: entry, tried: value))
                changes.updateValue(value, forKey: key)
            case .clamp(let bound, let constraint):
                if let value { excesses.append(Excess(constraint: constraint, tried: value, kept: bound)) }
                changes.updateValue(bound, forKey: key)
            case .outside(let constraint):
                if let value { excesses.append(Excess(constraint: constraint, tried: value, kept: nil)) }
            case .removeHidden(let entry):
                hidden.append(Attempt(entry: entry, tried: nil))
                changes.updateValue(nil, forKey: key)
            }
        }
    }

    /// Whether something stands against the edit, so that nothing of it is stored.
    var isRefused: Bool { !refused.isEmpty || excesses.contains { $0.kept == nil } }
}
