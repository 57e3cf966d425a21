/// The fields of a constraint.
enum ConstraintField: String, CaseIterable {
    /// The least number.
    case minimum = "Minimum"
    /// The greatest number.
    case maximum = "Maximum"
    /// The allowed values.
    case oneOf = "OneOf"
    /// What a string must match.
    case pattern = "Pattern"

    /// Every name of a field, for suggestions.
    static let names: [String] = allCases.map(\.rawValue)
}
