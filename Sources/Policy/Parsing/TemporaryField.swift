/// The fields of `Temporary`.
enum TemporaryField: String, CaseIterable {
    /// What made the file: `exam` or `grant`.
    case kind = "Kind"
    /// The set of an exam.
    case set = "Set"
    /// When the file ends.
    case until = "Until"
    /// Who asked for it.
    case by = "By"
    /// Why.
    case reason = "Reason"
    /// The SHA-256 of the set's file.
    case digest = "Digest"

    /// Every name of a field, for suggestions.
    static let names: [String] = allCases.map(\.rawValue)
}
