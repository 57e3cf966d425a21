package import PropertyList

/// What a user's value must be like to be obeyed.
package struct Constraint: Equatable, Sendable {
    /// The least number, where given; an integer or a real.
    package let minimum: Value?
    /// The greatest number, where given; an integer or a real.
    package let maximum: Value?
    /// The allowed values, where given.
    package let oneOf: [Value]?
    /// What a string must match as a whole, where given.
    package let pattern: ConstraintPattern?

    /// Makes a constraint.
    package init(
        minimum: Value? = nil, maximum: Value? = nil, oneOf: [Value]? = nil, pattern: ConstraintPattern? = nil
    ) {
        self.minimum = minimum
        self.maximum = maximum
        self.oneOf = oneOf
        self.pattern = pattern
    }
}
