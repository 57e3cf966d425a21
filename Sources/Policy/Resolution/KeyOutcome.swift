import PropertyList

/// What policy leaves of a key, as far as a lookup sees it.
enum KeyOutcome: Equatable {
    /// The key is forced to a value, or to have none.
    case fixed(Value?)
    /// The user has a choice.
    case constrained(Constraint)
    /// Policy says nothing.
    case free

    /// Takes the outcome out of what was decided.
    init(_ entry: ResolvedEntry?, _ constraint: ResolvedConstraint?) {
        if let entry {
            self = .fixed(entry.value)
        } else if let constraint {
            self = .constrained(constraint.entry.constraint)
        } else {
            self = .free
        }
    }

    /// Whether it makes no difference which one of several outcomes it is.
    ///
    /// To be free is none of them: nobody becomes free by hiding something.
    static func agree(_ outcomes: [KeyOutcome]) -> Bool {
        let outcomes = outcomes.filter { $0 != .free }
        return outcomes.dropFirst().allSatisfy { $0 == outcomes[0] }
    }
}
