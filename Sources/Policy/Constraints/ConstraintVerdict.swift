package import PropertyList

/// What a constraint says of a user's value.
package enum ConstraintVerdict: Equatable, Sendable {
    /// The value is obeyed.
    case allowed
    /// The value lies beyond a bound, and this one is obeyed instead.
    case clamped(Value)
    /// The value is not obeyed; the next domain of the search list counts.
    case refused
}
